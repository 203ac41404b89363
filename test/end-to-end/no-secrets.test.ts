// What is secret stays where it is sealed: no workflow history, no stored attempt and no table shows it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { putApp } from '../../schema/database/accounts/apps.ts';
import { readHistories, readTables } from '../support/checks/traces.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { startReceiver, type Receiver } from '../support/receivers/receiver.ts';

let app: TestApp;
let receiver: Receiver;
let secrets: string[];

beforeAll(async () => {
  app = await startApp({ env: { FANFARE_DELIVERY_DELAYS_MS: '10' } });
  receiver = await startReceiver({ respond: (_, n) => ({ status: n === 1 ? 500 : 200 }) });
  const webhook = await app.tenant.createWebhook(receiver.url);
  const rotated = await app.api.post(`/v1/webhooks/${webhook.id}/rotate`, {});
  const account = await app.tenant.connectSandbox('ada');
  const post = await app.tenant.createPost({
    caption: 'hello',
    platform_posts: [
      { account_id: account.id, platform_options: { outcome: 'token_expired', times: 1 } },
    ],
  });
  await app.tenant.waitForPost(post.id);
  await receiver.waitForCount(3);
  const tokens = await sql<{ grant: string }>`
    select row_to_json(g)::text as "grant" from sandbox_grants g`.execute(app.database.db);
  const clientSecret = 'client-secret-of-an-app';
  await putApp(app.database.db, app.tenant.projectId, app.context.vault, {
    platform: 'mastodon',
    clientId: 'client',
    clientSecret,
  });
  secrets = [
    clientSecret,
    webhook.secret,
    rotated.body.data.secret as string,
    app.tenant.key,
    ...tokens.rows.flatMap((row) => (JSON.parse(row.grant) as { id: string }).id),
  ];
});

afterAll(async () => {
  await app.stop();
  await receiver.close();
});

function expectNone(text: string): void {
  for (const secret of secrets) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.replace('whsec_', ''));
  }
}

describe('secrets', () => {
  test('are in no workflow history', async () => {
    const histories = await readHistories(app.namespace);
    expect(histories.length).toBeGreaterThan(0);
    for (const history of histories) {
      expect(history).toMatch(/postId|batchId/);
      expectNone(history);
    }
  });

  test('are in no tables except those of the sandbox network', async () => {
    const tables = await readTables(app.database.db);
    expect(tables.length).toBeGreaterThan(12);
    for (const rows of tables) expectNone(rows);
  });

  test('are redacted in the attempts that the API shows', async () => {
    const webhooks = await app.api.get('/v1/webhooks');
    const list = await app.api.get(`/v1/webhooks/${webhooks.body.data[0].id}/deliveries`);
    const delivery = await app.api.get(`/v1/deliveries/${list.body.data[0].id}`);
    const [attempt] = delivery.body.data.attempts;
    expect(attempt.request_headers['X-Service-Signature']).toBe('[redacted]');
    expect(attempt.request_headers['webhook-signature']).toBe('[redacted]');
    expectNone(delivery.text + list.text + webhooks.text);
  });
});
