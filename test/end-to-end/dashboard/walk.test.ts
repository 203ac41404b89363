// A working day in the dashboard of a real program, which is killed and started again in the middle of it. No page is
// loaded again.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findFreePorts } from '../../../api/server/ports.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import { hasChromium } from '../../support/app/chromium.ts';
import { removeDataDirectory, startProgram } from '../../support/app/program.ts';
import { fast } from '../../support/checks/killed-program.ts';
import {
  newTab,
  startDashboardBrowser,
  waitUntilLoaded,
  type Tab,
} from '../../support/dashboard/browser.ts';
import { dotPng } from '../../support/dashboard/pictures.ts';
import { forFile } from '../../support/fixtures.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { createTestDatabase } from '../../support/rows/database.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';
import { createTestNamespace } from '../../support/servers/temporal.ts';

const handles = ['ada', 'bob', 'grace'] as const;
const dayMs = 86_400_000;
const gone = 'The server does not answer.';

describe.skipIf(!hasChromium)('a day with the dashboard', { timeout: 120_000 }, () => {
  const browser = forFile(startDashboardBrowser);
  const receiver = forFile(() => startReceiver());

  test('connects, publishes, plans and cures, and misses nothing of a killed server', async () => {
    await using cleanup = new AsyncDisposableStack();
    const dataDirectory = createBundledDirectory();
    cleanup.defer(() => removeDataDirectory(dataDirectory));
    // The servers of the run, since starting others takes long.
    const database = cleanup.use(await createTestDatabase());
    const { address, namespace } = cleanup.use(await createTestNamespace());
    const [port] = await findFreePorts([0]);
    const env = {
      ...fast,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      FANFARE_SANDBOX: 'true',
      FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      FANFARE_VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
      FANFARE_PORT: String(port),
      FANFARE_DELIVERY_DELAYS_MS: '100',
      FANFARE_UNAVAILABLE_DELAYS_MS: '200',
    };
    await using first = startProgram({ dataDirectory, env });
    const api = await first.waitForReady();
    const [, signInUrl] = await first.waitForOutput(/Dashboard +(\S+)/);
    const tab = await newTab(api.url, await browser.newContext());
    const { page } = tab;
    await page.goto(signInUrl!);
    await tab.heading('Home').waitFor();
    await page.evaluate('window.isSame = true');

    await tab.link('Accounts').click();
    await tab.button('Connect an account').click();
    await page.getByLabel('Network').selectOption('SANDBOX');
    await page.getByRole('textbox', { name: 'User ID' }).fill('user-1');
    await tab.button('Create a link').click();
    await connectAsOwner(await page.getByRole('region', { name: 'Link' }).innerText());
    await tab.button('Done').click();
    await tab.link('Sandbox grace').waitFor();

    await tab.link('New post').click();
    for (const handle of handles) await page.getByLabel(`Sandbox ${handle}`).check();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Opening night');
    await page.locator('input[type=file]').setInputFiles(dotPng);
    await page.getByLabel('Alt text').fill('A dot');
    for (const handle of handles) {
      const panel = page.getByRole('region', { name: `Sandbox ${handle}` });
      await panel.getByText('First comment and options').click();
      await panel.getByLabel('Delay ms').fill(handle === 'ada' ? '700' : '6000');
    }
    await tab.button('Publish now').click();
    await tab.heading('Opening night').waitFor();
    for (const handle of handles) await expectStatus(tab, handle, /^(Pending|Publishing)$/);
    await expectStatus(tab, 'ada', /^Published$/);
    await expectStatus(tab, 'bob', /^Publishing$/);

    await first.kill9();
    await page.getByText(gone).waitFor();
    await using second = startProgram({ dataDirectory, env });
    await second.waitForReady();
    const [adaId] = (await api.get('/v1/accounts?platform=sandbox')).body.data
      .filter((account: { account_name: string }) => account.account_name === 'ada')
      .map((account: { id: string }) => account.id);
    // Both before the page is back, as far as it takes a while.
    await api.post('/v1/webhooks', { url: `${receiver.url}/hook` });
    await api.post('/v1/posts', { caption: 'Meanwhile', account_ids: [adaId] });
    await page.getByText(gone).waitFor({ state: 'detached' });
    for (const handle of handles) await expectStatus(tab, handle, /^Published$/);
    await tab.link('Posts').click();
    const items = page.getByRole('list', { name: 'Posts' }).getByRole('listitem');
    await expect.poll(() => items.getByText('Published', { exact: true }).count()).toBe(2);
    const { data: posts } = (await api.get('/v1/posts')).body as { data: Post[] };
    expect(posts.map(({ caption, status }) => [caption, status])).toEqual([
      ['Meanwhile', 'published'],
      ['Opening night', 'published'],
    ]);

    const scheduled = await api.post('/v1/posts', {
      caption: 'Gala',
      account_ids: [adaId],
      scheduled_at: new Date(Date.now() + dayMs).toISOString(),
    });
    const { id: galaId, scheduled_at: plannedAt } = scheduled.body.data as Post;
    await tab.link('Calendar').click();
    await dragToNextDay(tab, 'Gala');
    const movedAt = async () => (await api.get(`/v1/posts/${galaId}`)).body.data.scheduled_at;
    await expect.poll(async () => Date.parse(await movedAt())).toBe(Date.parse(plannedAt!) + dayMs);

    receiver.respondWith(() => ({ status: 410, body: 'This address has moved' }));
    const outcome = { outcome: 'unavailable', times: 2 };
    await api.post('/v1/posts', {
      caption: 'Refused',
      platform_posts: [{ account_id: adaId, platform_options: outcome }],
    });
    await tab.link('Home').click();
    await page.getByText('Retry it.').waitFor();
    await tab.link('Refused').click();
    await tab.button('Retry').click();
    await expectStatus(tab, 'ada', /^Published$/);

    await tab.link('Webhooks').click();
    await page.getByRole('link', { name: `${receiver.url}/hook` }).click();
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    const failed = deliveries.filter({ hasText: 'Failed' });
    // The refusal, and the success of the retry.
    await expect.poll(() => failed.count()).toBe(2);
    await failed.first().getByRole('link').click();
    await page.getByText('HTTP 410').first().waitFor();
    await page.getByText('The receiver answered 4xx.').first().waitFor();
    await page.getByText('Headers and answer').first().click();
    await page.getByText('This address has moved').first().waitFor();
    receiver.respondWith(() => ({ status: 200 }));
    await tab.button('Send it again').click();
    await page.getByText('HTTP 200').waitFor();
    await page.goBack();
    await expect.poll(() => failed.count()).toBe(1);
    await tab.button('Replay').click();
    await page.getByLabel('Period').selectOption('free');
    await tab.button('Start the replay').click();
    await page.getByText('From is required.').waitFor();
    const since = new Date(Date.now() - 2 * dayMs).toISOString().slice(0, 16);
    await page.getByLabel('From', { exact: true }).fill(since);
    await tab.button('Start the replay').click();
    const replays = page.getByRole('list', { name: 'Replays' });
    await replays.getByText('Completed').waitFor();
    await replays.getByText('1 of 1').waitFor();
    await tab.button('Send a test event').click();
    await page.getByLabel('Event', { exact: true }).selectOption('ACCOUNT_CONNECTED');
    await tab.button('Send').click();
    await deliveries.getByText('account.connected').waitFor();

    expect(await page.evaluate('window.isSame')).toBe(true);
    expect(tab.complaints).toEqual([]);
  });

  /** In the browser of the person who owns the account. */
  async function connectAsOwner(url: string): Promise<void> {
    const { page, context, heading } = await newTab(url, await browser.newContext());
    await page.goto(url.trim());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('#handle').fill('grace');
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading('Connected to Sandbox').waitFor();
    await context.close();
  }
});

async function expectStatus({ page }: Tab, handle: string, status: RegExp): Promise<void> {
  const target = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: `Sandbox ${handle}` }) });
  await target.getByText(status).first().waitFor();
}

async function dragToNextDay({ page }: Tab, caption: string): Promise<void> {
  const event = page.getByRole('link', { name: new RegExp(caption) });
  await event.waitFor();
  await waitUntilLoaded(page);
  const shownOn = await event.evaluate((link) =>
    link.closest('[data-date]')!.getAttribute('data-date')!,
  );
  const target = new Date(Date.parse(shownOn) + dayMs).toISOString().slice(0, 10);
  await event.dragTo(page.locator(`[data-date="${target}"]`).first());
}
