// The worker while Temporal is late, goes away and comes back, behind a wire that can be cut.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepWorker } from '../../../api/server/keep-worker.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { installQuietRuntime } from '../../support/servers/quiet-runtime.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';
import { createTestNamespace, type TestNamespace } from '../../support/servers/temporal.ts';
import { Wire } from '../../support/app/wire.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let wire: Wire;
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
  wire = new Wire(namespace.address);
  await wire.mend();
  await wire.cut();
  engine = createEngine(database, {
    namespace: namespace.namespace,
    onWarning: (line) => warnings.push(line),
  });
  projectId = await addProject(database.db);
  await addWebhook(database.db, projectId, { url: receiver.url });
});

afterAll(async () => {
  await engine.close();
  await wire.cut();
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
  test('comes up when Temporal comes up late, and comes back after Temporal was away', async () => {
    const worker = keepWorker({ ...engine, address: wire.address });
    try {
      await expect
        .poll(() => warnings.join(), { timeout: 20_000 })
        .toContain('The worker is down; it is started again.');
      await wire.mend();
      await worker.ready;
      await deliverOne();

      await wire.cut();
      const [deliveryId] = await addEvent(database.db, projectId);
      await expect.poll(() => batchOf(deliveryId!), { timeout: 10_000 }).not.toBeNull();
      await wire.mend();
      await receiver.waitForCount(2, { timeoutMs: 20_000 });
      await deliverOne();
    } finally {
      await worker.stop();
    }
  });

  test('leaves nothing running after stop()', async () => {
    const worker = keepWorker({ ...engine, address: wire.address });
    await worker.ready;
    await deliverOne();
    await worker.stop();

    await expect.poll(() => wire.socketCount, { timeout: 10_000 }).toBe(0);
    const [deliveryId] = await addEvent(database.db, projectId);
    // A process that still listened would claim at the first notification, long before the third.
    let notifications = 0;
    const off = engine.listener.on('fanfare_deliveries', () => notifications++);
    engine.notifier.notify('fanfare_deliveries');
    await expect.poll(() => notifications, { timeout: 10_000 }).toBeGreaterThan(2);
    off();
    expect(await batchOf(deliveryId!)).toBeNull();
    expect(wire.socketCount).toBe(0);
  });

  test('stops while Temporal is away', async () => {
    await wire.cut();
    const before = warnings.length;
    const worker = keepWorker({ ...engine, address: wire.address });
    await expect.poll(() => warnings.length, { timeout: 20_000 }).toBeGreaterThan(before);
    await worker.stop();
    await wire.mend();
    expect(wire.socketCount).toBe(0);
  });
});
