// Markup in everything that others write: it is shown as text on every page, and nothing of it executes.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../support/app/chromium.ts';
import { useDashboard } from '../../support/dashboard/dashboard.ts';
import { forFile } from '../../support/fixtures.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';

const markup = '<img src=x onerror="hacked=1"><script>hacked=1</script>';
const scriptUrl = 'javascript:hacked=1';

describe.skipIf(!hasChromium)('markup in the dashboard', { timeout: 60_000 }, () => {
  const { app, tenant, tab } = useDashboard();
  const receiver = forFile(() => startReceiver());

  test('of users, networks and receivers is text', async () => {
    receiver.respondWith(() => ({ status: 410, body: markup, headers: { 'x-answer': markup } }));
    const { api } = tenant;
    const { db } = app.context;
    await api.patch('/v1/project', { name: markup });
    const account = await tenant.connectSandbox('ada', { external_user_id: markup });
    await api.patch(`/v1/accounts/${account.id}`, { display_name: markup });
    const webhook = await tenant.createWebhook(`${receiver.url}/hook`);
    await api.patch(`/v1/webhooks/${webhook.id}`, { name: markup });
    await api.post('/v1/api-keys', { name: markup });
    const slots = [{ weekday: 'mon', time: '09:00' }];
    const queue = { name: markup, timezone: 'UTC', account_ids: [account.id], slots };
    const queueId = (await api.post('/v1/queues', queue)).body.data.id as string;
    const options = { outcome: 'rejected' };
    const failed = await tenant.createPost({
      caption: markup,
      labels: [markup],
      platform_posts: [{ account_id: account.id, platform_options: options }],
    });
    await tenant.waitForPost(failed.id);
    const published = await tenant.createPost({ caption: markup, account_ids: [account.id] });
    await tenant.waitForPost(published.id);
    await tenant.createPost({
      caption: markup,
      account_ids: [account.id],
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    // As a network could have answered.
    await sql`update post_results set error_message = ${markup}, platform_error_code = ${markup}
      where post_id = ${failed.id}`.execute(db);
    await sql`update post_results set url = ${scriptUrl} where post_id = ${published.id}`.execute(
      db,
    );
    await sql`update post_attempts set error_message = ${markup}`.execute(db);
    const path = `/v1/webhooks/${webhook.id}/deliveries`;
    await expect.poll(async () => (await api.get(path)).body.data.length).toBeGreaterThan(1);
    const [delivery] = (await api.get(path)).body.data as { id: string }[];

    await tab.signIn(tenant.key);
    const shown = [
      '',
      '/compose',
      '/posts',
      `/posts/${failed.id}`,
      `/posts/${published.id}`,
      '/calendar',
      '/queues',
      `/queues/${queueId}`,
      '/accounts',
      `/accounts/${account.id}`,
      '/users',
      '/webhooks',
      `/webhooks/${webhook.id}`,
      `/deliveries/${delivery!.id}`,
      '/settings',
    ];
    const { page } = tab;
    for (const at of shown) {
      await tab.visit(at);
      const main = page.getByRole('main');
      const seen = async () =>
        `${await main.innerText()} ${JSON.stringify(await main.locator('input').evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value)))}`;
      await expect.poll(seen, { message: at }).toContain('hacked=1');
      const alien = page.locator('main img[onerror], main script, a[href^="javascript:"]');
      expect(await alien.count(), at).toBe(0);
      expect(await page.evaluate('window.hacked'), at).toBeUndefined();
    }
    // Refused scripts would be reported too.
    expect(tab.complaints).toEqual([]);
  });
});
