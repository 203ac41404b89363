// Scheduled posts that are due soon, listed in the order of their times.
import { expect, test } from 'vitest';
import { listComingPosts } from '../../../schema/database/dispatch/sweeping.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';

const database = useDatabase();

async function addScheduled(inMs: number, { isAskedFor = false } = {}): Promise<string> {
  const { postId, workflowId } = await addPost(database.db, {
    scheduledAt: new Date(Date.now() + inMs),
  });
  if (!isAskedFor) {
    await database.db.deleteFrom('outbox').where('workflow_id', '=', workflowId).execute();
  }
  return postId;
}

test('the list has only posts that are due soon and whose workflow the relay has started', async () => {
  const later = await addScheduled(60_000);
  const sooner = await addScheduled(30_000);
  const past = await addScheduled(-30_000);
  await addScheduled(30_000, { isAskedFor: true });
  await addScheduled(900_000);
  await addScheduled(-900_000);
  const list = { aheadMs: 600_000, overdueMs: 300_000 };
  const posts = await listComingPosts(database.db, { ...list, after: null });
  expect(posts.map(({ id }) => id)).toEqual([past, sooner, later]);
  const rest = await listComingPosts(database.db, { ...list, after: posts[0]! });
  expect(rest.map(({ id }) => id)).toEqual([sooner, later]);
});
