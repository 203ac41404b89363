// The first round of a batch, begun before its workflow asks for it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHeadStart, type HeadStart } from '../../../activities/delivering/eager-start.ts';
import { claimBatch } from '../../../schema/database/dispatch/outbox.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';

let database: TestDatabase;
let engine: Engine;
let receiver: Receiver;
let headStart: HeadStart;

beforeAll(async () => {
  [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
  engine = createEngine(database, { namespace: 'unused' });
  headStart = createHeadStart(engine);
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

describe('a head start', () => {
  test('is the round that the workflow joins, once', async () => {
    const batchId = await claimOne();
    const before = receiver.requests.length;
    headStart.prepare(batchId);
    headStart.begin(batchId);
    expect(await headStart.join(batchId)).toEqual([]);
    expect(headStart.join(batchId)).toBeUndefined();
    expect(await listStatuses(batchId)).toEqual(['delivered']);
    expect(receiver.requests).toHaveLength(before + 1);
  });

  test('is not begun any more when the workflow came first, or runs elsewhere', async () => {
    const [first, elsewhere] = [await claimOne(), await claimOne()];
    headStart.prepare(first);
    expect(headStart.join(first)).toBeUndefined();
    headStart.begin(first);
    headStart.prepare(elsewhere);
    headStart.forget(elsewhere);
    headStart.begin(elsewhere);
    await headStart.settled();
    expect(await listStatuses(first)).toEqual(['pending']);
    expect(await listStatuses(elsewhere)).toEqual(['pending']);
  });

  test('settles when its rounds have ended, joined or not', async () => {
    const batchId = await claimOne();
    headStart.prepare(batchId);
    headStart.begin(batchId);
    await headStart.settled();
    expect(await listStatuses(batchId)).toEqual(['delivered']);
  });

  test('tells the workflow of a fault of the database', async () => {
    const closed = await createTestDatabase();
    await closed.drop();
    const faulty = createHeadStart({ ...engine, db: closed.db });
    faulty.prepare('batch_unread');
    faulty.begin('batch_unread');
    await expect(faulty.join('batch_unread')).rejects.toThrow();
    expect(faulty.join('batch_unread')).toBeUndefined();
  });
});
