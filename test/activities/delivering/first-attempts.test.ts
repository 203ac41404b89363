// The first attempts of a batch, before it has a workflow.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createFirstAttempts,
  type FirstAttempts,
} from '../../../activities/delivering/first-attempts.ts';
import {
  claimBatch,
  claimOutbox,
  type ClaimedBatch,
} from '../../../schema/database/dispatch/claims.ts';
import { elapse } from '../../support/elapse.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { startReceiver, type Receiver, type Reply } from '../../support/receivers/receiver.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';

let database: TestDatabase;
let engine: Engine;
let receiver: Receiver;
let attempts: FirstAttempts;

beforeAll(async () => {
  [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
  engine = createEngine(database, { namespace: 'unused' });
  attempts = createFirstAttempts(engine);
});

afterAll(async () => {
  await engine.close();
  await Promise.all([database.drop(), receiver.close()]);
});

/** A batch of one delivery to a receiver that answers like this. */
async function claimOne(reply: Reply): Promise<ClaimedBatch> {
  const { db } = database;
  await db.deleteFrom('outbox').execute();
  receiver.respondWith(() => reply);
  const projectId = await addProject(db);
  await addWebhook(db, projectId, { url: receiver.url });
  await addEvent(db, projectId);
  return (await claimBatch(db, { limit: 500 }))!;
}

async function listStatuses({ batchId }: ClaimedBatch): Promise<string[]> {
  const rows = await database.db
    .selectFrom('deliveries')
    .select('status')
    .where('batch_id', '=', batchId)
    .execute();
  return rows.map(({ status }) => status);
}

describe('first attempts', () => {
  test('conclude a batch whose receivers accept it', async () => {
    const batch = await claimOne({ status: 200 });
    expect(await attempts.run(batch)).toBe('concluded');
    expect(await listStatuses(batch)).toEqual(['delivered']);
  });

  test('leave a batch to its workflow if a delivery must be attempted again', async () => {
    const batch = await claimOne({ status: 503 });
    expect(await attempts.run(batch)).toBe('left');
    expect(await listStatuses(batch)).toEqual(['retrying']);
  });

  test('keep the claim of the batch while a receiver is slow, so no other relay repeats them', async () => {
    const batch = await claimOne({ status: 200, delayMs: 7_000 });
    const running = attempts.run(batch);
    let isRunning = true;
    void running.finally(() => (isRunning = false));
    while (isRunning) {
      expect(await claimOutbox(database.db, 10)).toEqual([]);
      await elapse(250, 'relays poll at least twice a second');
    }
    expect(await running).toBe('concluded');
  });

  test('attempt every other delivery of a full batch while a receiver hangs', async () => {
    const { db } = database;
    await db.deleteFrom('outbox').execute();
    const [webhookCount, eventCount] = [25, 20];
    const gate = Promise.withResolvers<void>();
    await using stack = new AsyncDisposableStack();
    const projectId = await addProject(db);
    for (let i = 0; i < webhookCount; i++) {
      // Each receiver has a connection for each of its deliveries.
      const { url } = stack.use(
        await startReceiver({
          respond: async () => {
            if (i === 0) await gate.promise;
            return { status: 200 };
          },
        }),
      );
      await addWebhook(db, projectId, { url });
    }
    for (let i = 0; i < eventCount; i++) await addEvent(db, projectId);
    const batch = (await claimBatch(db, { limit: 500 }))!;
    expect(batch.size).toBe(webhookCount * eventCount);
    const running = attempts.run(batch);
    const countDelivered = async () => {
      const statuses = await listStatuses(batch);
      return statuses.filter((status) => status === 'delivered').length;
    };
    await expect.poll(countDelivered).toBe(batch.size - eventCount);
    gate.resolve();
    expect(await running).toBe('concluded');
    expect(await countDelivered()).toBe(batch.size);
  });

  test('reject if the database fails, and let the claim expire', async () => {
    const batch = await claimOne({ status: 200 });
    await using closed = await createTestDatabase();
    await closed.db.selectFrom('outbox').select('id').execute();
    await closed.db.destroy();
    await expect(createFirstAttempts({ ...engine, db: closed.db }).run(batch)).rejects.toThrow();
    await expect
      .poll(() => claimOutbox(database.db, 10), { timeout: 10_000 })
      .toMatchObject([{ id: batch.id }]);
  });
});
