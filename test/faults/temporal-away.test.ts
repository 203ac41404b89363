// While Temporal is down the API accepts posts. When Temporal is back, they are published.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app/app.ts';
import { createTestNamespace, type TestNamespace } from '../support/servers/temporal.ts';
import { createTestLog } from '../support/log.ts';
import { startReceiver, type Receiver } from '../support/receivers/receiver.ts';
import { startProxy, type Proxy } from '../support/servers/proxy.ts';

let namespace: TestNamespace;
let proxy: Proxy;
let app: TestApp;
let receiver: Receiver;
const { log, lines: warnings } = createTestLog();

beforeAll(async () => {
  namespace = await createTestNamespace();
  proxy = await startProxy(new URL(`tcp://${namespace.address}`));
  [app, receiver] = await Promise.all([
    startApp({
      namespace,
      temporalAddress: proxy.address,
      log,
    }),
    startReceiver(),
  ]);
});

afterAll(async () => {
  await app.stop();
  await proxy.cut();
  await receiver.close();
});

describe('Temporal away', () => {
  test('the API accepts posts, stays ready, says in healthz what is missing, and catches up', async () => {
    await app.tenant.createWebhook(receiver.url, ['post.published']);
    const account = await app.tenant.connectSandbox('ada');
    const before = await app.tenant.createPost({ caption: 'before', account_ids: [account.id] });
    await app.tenant.waitForPost(before.id);

    await proxy.cut();
    warnings.length = 0;
    const posts = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        app.tenant.createPost({ caption: `while away ${i}`, account_ids: [account.id] }),
      ),
    );
    expect(posts.map((post) => post.status)).toEqual(posts.map(() => 'pending'));
    expect(await app.api.get('/readyz')).toMatchObject({ status: 200 });
    expect(await app.api.get('/healthz')).toMatchObject({
      status: 503,
      body: { parts: { database: { ok: true }, temporal: { ok: false } } },
    });

    // A start has failed, and the relay pauses after it.
    await expect.poll(() => warnings.length, { timeout: 20_000 }).toBeGreaterThan(0);
    await proxy.reopen();
    for (const { id } of posts) {
      const post = await app.tenant.waitForPost(id, { timeoutMs: 45_000 });
      expect(post.status).toBe('published');
    }
    await receiver.waitForCount(11, { timeoutMs: 30_000 });
    const atNetwork = await app.database.db
      .selectFrom('sandbox_posts')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow();
    expect(Number(atNetwork.count)).toBe(11);
  }, 120_000);
});
