// Claiming a run: only for its workflow, as often as it asks, begun once.
import { describe, expect, test } from 'vitest';
import { claimRun } from '../../../schema/database/posts/posts.ts';
import { restartPost } from '../../../schema/database/dispatch/sweeping.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';

const database = useDatabase();

const claim = (postId: string, run: number, workflowId: string) =>
  claimRun(database.db, quietNotifier, { postId, run }, workflowId);

const readPost = (id: string) =>
  database.db.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function countStarts(postId: string): Promise<number> {
  const changes = database.db.selectFrom('changes').select('id').where('subject_id', '=', postId);
  return (await changes.where('kind', '=', 'started').execute()).length;
}

describe('claimRun', () => {
  test('lets the same workflow claim again, and reports the start of the run once', async () => {
    const { postId, workflowId } = await addPost(database.db);
    expect(await claim(postId, 1, workflowId)).toBe('claimed');
    expect(await readPost(postId)).toMatchObject({ status: 'pending', started_run: 1 });
    expect(await claim(postId, 1, workflowId)).toBe('claimed');
    expect(await countStarts(postId)).toBe(1);
  });

  test('refuses other workflows, and superseded runs', async () => {
    const { postId, workflowId } = await addPost(database.db);
    expect(await claim(postId, 1, 'another')).toBeUndefined();
    expect(await restartPost(database.db, quietNotifier, postId, workflowId)).toBe(true);
    expect(await claim(postId, 1, workflowId)).toBeUndefined();
    expect(await countStarts(postId)).toBe(0);
    expect(await claim(postId, 2, (await readPost(postId)).workflow_id!)).toBe('claimed');
    expect(await countStarts(postId)).toBe(1);
  });

  test('returns the wait of a scheduled post, and claims no run before it is due', async () => {
    const { postId, workflowId } = await addPost(database.db, {
      scheduledAt: new Date(Date.now() + 60_000),
    });
    const answer = await claim(postId, 1, workflowId);
    expect(answer).toEqual({ waitMs: expect.any(Number) });
    const { waitMs } = answer as { waitMs: number };
    expect(Math.abs(waitMs - 60_000)).toBeLessThan(2_000);
    expect(await readPost(postId)).toMatchObject({ status: 'scheduled', started_run: 0 });
    expect(await countStarts(postId)).toBe(0);
  });
});
