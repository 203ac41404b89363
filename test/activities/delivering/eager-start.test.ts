// The first run of a batch, started before its workflow asks for it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEagerStart, type EagerStart } from '../../../activities/delivering/eager-start.ts';
import { claimBatch } from '../../../schema/database/outbox.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';

let database: TestDatabase;
let engine: Engine;
let receiver: Receiver;
let eagerStart: EagerStart;

beforeAll(async () => {
  [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
  engine = createEngine(database, { namespace: 'unused' });
  eagerStart = createEagerStart(engine);
});

afterAll(async () => {
  await engine.close();
  await Promise.all([database.drop(), receiver.close()]);
});

/** A batch of one delivery. */
async function claimOne(): Promise<string> {
  const { db } = database;
  const projectId = await addProject(db);
  await addWebhook(db, projectId, { url: receiver.url });
  await addEvent(db, projectId);
  const batch = await claimBatch(db, { limit: 500 });
  return batch!.batchId;
}

async function listStatuses(batchId: string): Promise<string[]> {
  const rows = await database.db
    .selectFrom('deliveries')
    .select('status')
    .where('batch_id', '=', batchId)
    .execute();
  return rows.map(({ status }) => status);
}

describe('an eager start', () => {
  test('starts a run that the workflow can join only once', async () => {
    const batchId = await claimOne();
    const before = receiver.requests.length;
    eagerStart.prepare(batchId);
    eagerStart.begin(batchId);
    expect(await eagerStart.join(batchId)).toEqual([]);
    expect(eagerStart.join(batchId)).toBeUndefined();
    expect(await listStatuses(batchId)).toEqual(['delivered']);
    expect(receiver.requests).toHaveLength(before + 1);
  });

  test("doesn't begin if the workflow has joined before, or if the relay forgets the batch", async () => {
    const [first, elsewhere] = [await claimOne(), await claimOne()];
    eagerStart.prepare(first);
    expect(eagerStart.join(first)).toBeUndefined();
    eagerStart.begin(first);
    eagerStart.prepare(elsewhere);
    eagerStart.forget(elsewhere);
    eagerStart.begin(elsewhere);
    await eagerStart.settled();
    expect(await listStatuses(first)).toEqual(['pending']);
    expect(await listStatuses(elsewhere)).toEqual(['pending']);
  });

  test('settles when its runs have ended, even if no workflow joined them', async () => {
    const batchId = await claimOne();
    eagerStart.prepare(batchId);
    eagerStart.begin(batchId);
    await eagerStart.settled();
    expect(await listStatuses(batchId)).toEqual(['delivered']);
  });

  test('reports a database error to the workflow', async () => {
    const closed = await createTestDatabase();
    await closed.drop();
    const faulty = createEagerStart({ ...engine, db: closed.db });
    faulty.prepare('batch_unread');
    faulty.begin('batch_unread');
    await expect(faulty.join('batch_unread')).rejects.toThrow();
    expect(faulty.join('batch_unread')).toBeUndefined();
  });
});
