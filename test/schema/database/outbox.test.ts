// The outbox: rows are claimed by one relay at a time, and claimed again when it stays silent.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  claimOutbox,
  deleteOutbox,
  insertPublishPost,
  outboxClaimMs,
} from '../../../schema/database/dispatch/outbox.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  await database.db.deleteFrom('outbox').execute();
});

describe('claimOutbox', () => {
  test('gives every row to exactly one of several relays', async () => {
    for (let i = 0; i < 50; i++) {
      await insertPublishPost(database.db, { postId: `post_${i}`, run: 0 }, null);
    }
    const claims = await Promise.all([1, 2, 3, 4].map(() => claimOutbox(database.db, 20)));
    const ids = claims.flat().map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claimOutbox(database.db, 100);
    expect(ids.length + rest.length).toBe(50);
  });

  test('gives a row again once its relay has been silent for long enough', async () => {
    await insertPublishPost(database.db, { postId: 'post_1', run: 0 }, null);
    const [first] = await claimOutbox(database.db, 10);
    expect(await claimOutbox(database.db, 10)).toEqual([]);
    await database.db
      .updateTable('outbox')
      .set({ claimed_at: sql<Date>`now() - ${outboxClaimMs + 1} * interval '1 ms'` })
      .execute();
    const [second] = await claimOutbox(database.db, 10);
    expect(second).toMatchObject({ id: first!.id, workflow_id: first!.workflow_id });
    await deleteOutbox(database.db, [first!.id]);
    expect(await database.db.selectFrom('outbox').selectAll().execute()).toEqual([]);
  });

  test('shows nothing of a transaction that rolled back', async () => {
    await database.db
      .transaction()
      .execute(async (trx) => {
        await insertPublishPost(trx, { postId: 'post_1', run: 0 }, null);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await claimOutbox(database.db, 10)).toEqual([]);
  });
});

describe('insertPublishPost', () => {
  test('names the workflow after the row, so that telling it twice starts nothing', async () => {
    await insertPublishPost(database.db, { postId: 'post_1', run: 2 }, new Date(0));
    const [row] = await claimOutbox(database.db, 1);
    expect(row).toMatchObject({
      workflow: 'publishPost',
      workflow_id: `post/post_1/${row!.id}`,
      input: { postId: 'post_1', run: 2 },
      start_at: new Date(0),
    });
  });
});
