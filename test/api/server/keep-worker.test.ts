// The worker while Temporal is late, unavailable and back again, behind a proxy that can be cut.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepWorker } from '../../../api/server/keep-worker.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { installQuietRuntime } from '../../support/servers/quiet-runtime.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';
import { createTestNamespace, type TestNamespace } from '../../support/servers/temporal.ts';
import { startProxy, type Proxy } from '../../support/servers/proxy.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let proxy: Proxy;
let receiver: Receiver;
let engine: Engine;
let projectId: string;
const warnings: string[] = [];

beforeAll(async () => {
  installQuietRuntime();
  [database, namespace, receiver] = await Promise.all([
    createTestDatabase(),
    createTestNamespace(),
    startReceiver(),
  ]);
  proxy = await startProxy(new URL(`tcp://${namespace.address}`));
  await proxy.cut();
  engine = createEngine(database, {
    namespace: namespace.namespace,
    onWarning: (line) => warnings.push(line),
  });
  projectId = await addProject(database.db);
  await addWebhook(database.db, projectId, { url: receiver.url });
});

afterAll(async () => {
  await engine.close();
  await proxy.cut();
  await Promise.all([namespace.close(), database.drop(), receiver.close()]);
});

/** One more event, and its request at the receiver. */
async function deliverOne(): Promise<void> {
  const count = receiver.requests.length + 1;
  await addEvent(database.db, projectId);
  engine.notifier.notify('fanfare_deliveries');
  await receiver.waitForCount(count, { timeoutMs: 20_000 });
}

async function batchOf(deliveryId: string): Promise<string | null> {
  const row = await database.db
    .selectFrom('deliveries')
    .select('batch_id')
    .where('id', '=', deliveryId)
    .executeTakeFirstOrThrow();
  return row.batch_id;
}

describe('keepWorker', () => {
  test('starts when Temporal starts late, and again after Temporal was unavailable', async () => {
    const worker = keepWorker({ ...engine, address: proxy.address });
    try {
      await expect
        .poll(() => warnings.join(), { timeout: 20_000 })
        .toContain('worker failed, restarting');
      await proxy.reopen();
      await worker.ready;
      await deliverOne();

      await proxy.cut();
      const [deliveryId] = await addEvent(database.db, projectId);
      await expect.poll(() => batchOf(deliveryId!), { timeout: 10_000 }).not.toBeNull();
      await proxy.reopen();
      await receiver.waitForCount(2, { timeoutMs: 20_000 });
      await deliverOne();
    } finally {
      await worker.stop();
    }
  });

  test('leaves nothing running after stop()', async () => {
    const worker = keepWorker({ ...engine, address: proxy.address });
    await worker.ready;
    await deliverOne();
    await worker.stop();

    await expect.poll(() => proxy.socketCount, { timeout: 10_000 }).toBe(0);
    const [deliveryId] = await addEvent(database.db, projectId);
    // A process that still listens would claim at the first notification, long before the third.
    let notifications = 0;
    const off = engine.listener.on('fanfare_deliveries', () => notifications++);
    engine.notifier.notify('fanfare_deliveries');
    await expect.poll(() => notifications, { timeout: 10_000 }).toBeGreaterThan(2);
    off();
    expect(await batchOf(deliveryId!)).toBeNull();
    expect(proxy.socketCount).toBe(0);
  });

  test('stops while Temporal is unavailable', async () => {
    await proxy.cut();
    const before = warnings.length;
    const worker = keepWorker({ ...engine, address: proxy.address });
    await expect.poll(() => warnings.length, { timeout: 20_000 }).toBeGreaterThan(before);
    await worker.stop();
    await proxy.reopen();
    expect(proxy.socketCount).toBe(0);
  });
});
