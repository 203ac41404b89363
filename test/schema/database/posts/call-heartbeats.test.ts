// The heartbeats of calls to networks: a locked row delays no other row.
import { expect, test } from 'vitest';
import {
  heartbeatsOfChanges,
  heartbeatsOfTargets,
} from '../../../../schema/database/posts/call-heartbeats.ts';
import {
  beginChange,
  insertChange,
} from '../../../../schema/database/posts/after-publishing/result-changes.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { lockRows } from '../../../support/rows/locks.ts';
import { inQuietTransaction } from '../../../support/rows/quiet-transaction.ts';
import { addPost } from '../../../support/rows/rows.ts';

const database = useDatabase();

/** The target of a new post. */
async function addTarget() {
  const { postId } = await addPost(database.db);
  return database.db
    .updateTable('post_results')
    .set({ status: 'publishing', phase_state: 'begun', steps: 1 })
    .where('post_id', '=', postId)
    .returning(['id', 'project_id'])
    .executeTakeFirstOrThrow();
}

async function addChange() {
  const target = await addTarget();
  const id = await inQuietTransaction(database.db, (trx) => insertChange(trx, target, 'unpublish'));
  await beginChange(database.db, { id, steps: 0 });
  return { id };
}

test.each([
  ['targets', 'post_results', addTarget, heartbeatsOfTargets],
  ['changes', 'result_changes', addChange, heartbeatsOfChanges],
] as const)('of %s skip a locked row', async (_, table, add, heartbeatsOf) => {
  const { db } = database;
  const [held, free] = [await add(), await add()];
  const unlock = await lockRows(db, table, [held.id]);
  const calls = [held, free].map(({ id }) => ({ id, steps: 1 }));
  await heartbeatsOf(db).release(calls);
  await heartbeatsOf(db).renew(calls.slice(1));
  await unlock();
  const rows = await db
    .selectFrom(table)
    .select('heartbeat_at')
    .where('id', '=', free.id)
    .execute();
  expect(rows).toEqual([{ heartbeat_at: expect.any(Date) }]);
});
