// What support does in the dashboard with a webhook that fails.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../support/app/chromium.ts';
import { expectNoBarriers } from '../../support/dashboard/barriers.ts';
import { useDashboard } from '../../support/dashboard/dashboard.ts';
import { forFile } from '../../support/fixtures.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';

describe.skipIf(!hasChromium)('webhooks in the dashboard', { timeout: 60_000 }, () => {
  const { tenant, tab } = useDashboard();
  const receiver = forFile(() => startReceiver());

  test('show why they fail; one delivery is sent again, and the rest is replayed', async () => {
    receiver.respondWith(() => ({ status: 410, body: 'moved <script>alert(1)</script>' }));
    const ada = await tenant.connectSandbox('ada');
    const webhook = await tenant.createWebhook(`${receiver.url}/hook`);
    const publish = (caption: string) => tenant.createPost({ caption, account_ids: [ada.id] });
    for (const caption of ['One', 'Two']) await tenant.waitForPost((await publish(caption)).id);
    const { page } = tab;
    await tab.signIn(tenant.key);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: webhook.url }).click();
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await expect.poll(() => deliveries.count()).toBe(2);
    await deliveries.first().getByRole('link').click();
    await page.getByText('HTTP 410').first().waitFor();
    await page.getByText('Headers and answer').first().click();
    await page.getByText('moved <script>alert(1)</script>').first().waitFor();
    await expectNoBarriers(page);

    receiver.respondWith(() => ({ status: 200 }));
    await tab.button('Send it again').click();
    await page.getByText('HTTP 200').waitFor();
    await page.goBack();
    await tab.button('Replay').click();
    await page.getByLabel('Which').selectOption('DELIVERED');
    await tab.button('Start the replay').click();
    await page.getByRole('list', { name: 'Replays' }).getByText('Completed').waitFor();
  });
});
