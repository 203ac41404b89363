// While Temporal is down the API accepts posts. When Temporal is back, they are published.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app/app.ts';
import { createTestNamespace, type TestNamespace } from '../support/servers/temporal.ts';
import { createTestLog } from '../support/log.ts';
import { startReceiver, type Receiver } from '../support/receivers/receiver.ts';
import { startProxy, type Proxy } from '../support/servers/proxy.ts';
import {
  countStatuses,
  createPosts,
  expectEachDelivered,
  expectPublishedOnce,
} from '../support/checks/published-once.ts';

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
    // More than one group.
    const posts = await createPosts(app, account.id, 250);
    expect(await countStatuses(app, posts)).toEqual({ pending: 250 });
    expect(await app.api.get('/readyz')).toMatchObject({ status: 200 });
    expect(await app.api.get('/healthz')).toMatchObject({
      status: 503,
      body: { parts: { database: { ok: true }, temporal: { ok: false } } },
    });

    // A start has failed, and the relay pauses after it.
    await expect.poll(() => warnings.length, { timeout: 20_000 }).toBeGreaterThan(0);
    await proxy.reopen();
    await expectPublishedOnce(app, posts);
    await expectEachDelivered(receiver, posts);
  }, 120_000);
});
