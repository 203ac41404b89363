// Claims of runs: only their own workflow can claim them, and can repeat the claim.
import { describe, expect, test } from 'vitest';
import { claimRuns } from '../../../../schema/database/posts/runs.ts';
import { restartPost } from '../../../../schema/database/dispatch/sweeping.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { lockPost } from '../../../support/rows/locks.ts';
import { addPost } from '../../../support/rows/rows.ts';
import { quietNotifier } from '../../../support/rows/quiet-transaction.ts';

const database = useDatabase();

async function claim(postId: string, run: number, workflowId: string) {
  const [claimed] = await claimRuns(database.db, quietNotifier, [{ postId, run }], workflowId);
  return claimed;
}

const readPost = (id: string) =>
  database.db.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function countStarts(postId: string): Promise<number> {
  const changes = database.db.selectFrom('changes').select('id').where('subject_id', '=', postId);
  return (await changes.where('kind', '=', 'started').execute()).length;
}

describe('claimRuns', () => {
  test('lets the same workflow claim again, and reports the start of the run once', async () => {
    const { postId, workflowId } = await addPost(database.db);
    expect(await claim(postId, 1, workflowId)).toMatchObject({ state: 'claimed' });
    expect(await readPost(postId)).toMatchObject({ status: 'pending', started_run: 1 });
    expect(await claim(postId, 1, workflowId)).toMatchObject({ state: 'claimed' });
    expect(await countStarts(postId)).toBe(1);
  });

  test('refuses other workflows, and superseded runs', async () => {
    const { postId, workflowId } = await addPost(database.db);
    expect(await claim(postId, 1, 'another')).toBeUndefined();
    expect(await restartPost(database.db, quietNotifier, postId, workflowId)).toBe(true);
    expect(await claim(postId, 1, workflowId)).toBeUndefined();
    expect(await countStarts(postId)).toBe(0);
    expect(await claim(postId, 2, (await readPost(postId)).workflow_id!)).toMatchObject({
      state: 'claimed',
    });
    expect(await countStarts(postId)).toBe(1);
  });

  test('returns the wait of a scheduled post, and claims no run before it is due', async () => {
    const { postId, workflowId } = await addPost(database.db, {
      scheduledAt: new Date(Date.now() + 60_000),
    });
    const early = await claim(postId, 1, workflowId);
    expect(early).toMatchObject({ state: 'early' });
    expect(Math.abs(early!.waitMs - 60_000)).toBeLessThan(2_000);
    expect(await readPost(postId)).toMatchObject({ status: 'scheduled', started_run: 0 });
    expect(await countStarts(postId)).toBe(0);
  });

  test('claims many runs at once, and leaves out those of other workflows', async () => {
    const { db } = database;
    const posts = await Promise.all(Array.from({ length: 5 }, () => addPost(db)));
    await db
      .updateTable('posts')
      .set({ workflow_id: 'posts/1' })
      .where(
        'id',
        'in',
        posts.slice(1).map(({ postId }) => postId),
      )
      .execute();
    const ended = posts[1]!.postId;
    await db
      .updateTable('posts')
      .set({ status: 'published', concluded_run: 1 })
      .where('id', '=', ended)
      .execute();
    const superseded = { postId: posts[2]!.postId, run: 0 };
    const asked = [superseded, ...[0, 1, 3, 4].map((i) => ({ postId: posts[i]!.postId, run: 1 }))];
    const runs = await claimRuns(db, quietNotifier, asked, 'posts/1');
    const states = Object.fromEntries(runs.map(({ postId, state }) => [postId, state]));
    expect(states).toEqual({
      [ended]: 'over',
      [posts[3]!.postId]: 'claimed',
      [posts[4]!.postId]: 'claimed',
    });
  });

  test('leaves a locked post for later, and claims the others of its group', async () => {
    const { db } = database;
    const [held, free] = [await addPost(db), await addPost(db)];
    const ids = [held.postId, free.postId];
    await db.updateTable('posts').set({ workflow_id: 'posts/2' }).where('id', 'in', ids).execute();
    await using _lock = await lockPost(db, held.postId);
    const asked = ids.map((postId) => ({ postId, run: 1 }));
    const runs = await claimRuns(db, quietNotifier, asked, 'posts/2');
    expect(new Map(runs.map(({ postId, state, waitMs }) => [postId, { state, waitMs }]))).toEqual(
      new Map([
        [held.postId, { state: 'locked', waitMs: 500 }],
        [free.postId, { state: 'claimed', waitMs: 0 }],
      ]),
    );
  });
});
