// What a worker reads of a batch while Temporal is being told of it.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createReadAhead } from '../../activities/read-ahead.ts';
import { claimBatch } from '../../schema/database/outbox.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addEvent, addProject, addWebhook } from '../support/rows.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

async function claimOne(): Promise<{ batchId: string; deliveryIds: string[] }> {
  const { db } = database;
  const projectId = await addProject(db);
  await addWebhook(db, projectId);
  const deliveryIds = await addEvent(db, projectId);
  const batch = await claimBatch(db, { limit: 500 });
  return { batchId: batch!.batchId, deliveryIds };
}

describe('a read ahead', () => {
  test('is taken once', async () => {
    const readAhead = createReadAhead(database.db);
    const { batchId, deliveryIds } = await claimOne();
    readAhead.begin(batchId);
    expect((await readAhead.take(batchId))?.map(({ id }) => id)).toEqual(deliveryIds);
    expect(await readAhead.take(batchId)).toBeUndefined();
  });

  test('is nothing for a batch that was claimed elsewhere', async () => {
    const readAhead = createReadAhead(database.db);
    expect(await readAhead.take('batch_elsewhere')).toBeUndefined();
  });

  test('that failed is nothing: who comes for it reads anew', async () => {
    const closed = await createTestDatabase();
    await closed.drop();
    const readAhead = createReadAhead(closed.db);
    readAhead.begin('batch_unread');
    expect(await readAhead.take('batch_unread')).toBeUndefined();
  });

  test('is forgotten when nobody comes for it while it is fresh', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const readAhead = createReadAhead(database.db);
      readAhead.begin('batch_stale');
      vi.advanceTimersByTime(1_000);
      expect(await readAhead.take('batch_stale')).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});
