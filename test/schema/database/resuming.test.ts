// Resuming posts after a pause: all of them, and each once.
import { afterEach, describe, expect, test } from 'vitest';
import { resumePosts } from '../../../schema/database/dispatch/resuming.ts';
import { deletePause, insertPause, listPauses } from '../../../schema/database/pauses.ts';
import { findTarget, setPaused } from '../../../schema/database/posts/targets.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';
import { countWaiting } from '../../support/rows/waiting.ts';

const database = useDatabase();
afterEach(async () => {
  const { db } = database;
  for (const { scope } of await listPauses(db)) await deletePause(db, scope);
  await db.deleteFrom('posts').execute();
});

const post = (id: string) =>
  database.db.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const result = (postId: string) =>
  database.db
    .selectFrom('post_results')
    .selectAll()
    .where('post_id', '=', postId)
    .executeTakeFirstOrThrow();

const targetOf = async (postId: string) =>
  (await findTarget(database.db, (await result(postId)).id))!;

/** A post whose target has stopped at a pause of its network. */
async function addHeldPost() {
  const { db } = database;
  await insertPause(db, 'sandbox');
  const added = await addPost(db);
  expect(await setPaused(db, await targetOf(added.postId))).toBe(true);
  return added;
}

async function resumeAll(): Promise<number> {
  let sum = 0;
  for await (const count of resumePosts(database.db, quietNotifier)) sum += count;
  return sum;
}

describe('resumePosts', () => {
  test('gives a new run once to each post that no pause holds', async () => {
    const held = await addHeldPost();
    const passing = await addPost(database.db);
    expect(await resumeAll()).toBe(0);
    await database.db
      .updateTable('post_results')
      .set({
        clock: JSON.stringify({ rateLimitedSinceMs: 1, quotaSinceMs: 1, unavailable: 1 }),
      })
      .where('post_id', '=', held.postId)
      .execute();
    await deletePause(database.db, 'sandbox');
    // Several processes may run it at once.
    const counts = await Promise.all([resumeAll(), resumeAll(), resumeAll()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    const resumed = await post(held.postId);
    expect(resumed).toMatchObject({ status: 'pending', current_run: 2 });
    expect(resumed.workflow_id).not.toBe(held.workflowId);
    // No call was made meanwhile, so no time of a rate limit or of a quota has passed.
    expect(await result(held.postId)).toMatchObject({
      status: 'pending',
      is_paused: false,
      clock: { unavailable: 1 },
    });
    const { clock } = await result(held.postId);
    expect([clock.rateLimitedSinceMs, clock.quotaSinceMs]).toEqual([undefined, undefined]);
    expect(
      await database.db
        .selectFrom('outbox')
        .select('input')
        .where('workflow_id', '=', resumed.workflow_id)
        .execute(),
    ).toMatchObject([{ input: { postId: held.postId, run: 2 } }]);
    expect(await post(passing.postId)).toMatchObject({
      current_run: 1,
      workflow_id: passing.workflowId,
    });
  });

  test('skips posts that a pause of their project holds, and posts that have ended', async () => {
    const { db } = database;
    const [held, ended] = [await addHeldPost(), await addHeldPost()];
    const { project_id } = await post(held.postId);
    await insertPause(db, project_id);
    await db
      .updateTable('posts')
      .set({ status: 'canceled' })
      .where('id', '=', ended.postId)
      .execute();
    await db
      .updateTable('post_results')
      .set({ status: 'canceled' })
      .where('post_id', '=', ended.postId)
      .execute();
    await deletePause(db, 'sandbox');
    expect(await resumeAll()).toBe(0);
    await deletePause(db, project_id);
    expect(await resumeAll()).toBe(1);
    expect(await post(ended.postId)).toMatchObject({ current_run: 1 });
  });

  test('skips a post while another of its targets has a call in flight', async () => {
    const { db } = database;
    const { postId } = await addHeldPost();
    const { project_id, social_account_id, account_name } = await result(postId);
    const other = await db
      .insertInto('post_results')
      .values({
        id: newId('result'),
        post_id: postId,
        position: 1,
        platform: 'bluesky',
        status: 'publishing',
        phase: 'commit',
        phase_state: 'begun',
        project_id,
        social_account_id,
        account_name,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await deletePause(db, 'sandbox');
    expect(await resumeAll()).toBe(0);
    await db
      .updateTable('post_results')
      .set({ status: 'published' })
      .where('id', '=', other.id)
      .execute();
    expect(await resumeAll()).toBe(1);
  });

  test('resumes more posts than one batch has', async () => {
    const count = 130;
    await Promise.all(Array.from({ length: count }, () => addPost(database.db)));
    await database.db.updateTable('post_results').set({ is_paused: true }).execute();
    const batches: number[] = [];
    for await (const started of resumePosts(database.db, quietNotifier)) batches.push(started);
    expect(batches).toEqual([100, 30]);
    expect(await resumeAll()).toBe(0);
  });
});

describe('setPaused', () => {
  test('writes nothing after the pause has ended', async () => {
    const { db } = database;
    await insertPause(db, 'sandbox');
    const { postId } = await addPost(db);
    const target = await targetOf(postId);
    expect(target.is_sending_paused).toBe(true);
    await deletePause(db, 'sandbox');
    expect(await setPaused(db, target)).toBe(false);
    expect(await result(postId)).toMatchObject({ is_paused: false });
  });

  test('waits for a transaction that ends the pause, and then writes nothing', async () => {
    const { db } = database;
    await insertPause(db, 'sandbox');
    const { postId } = await addPost(db);
    const target = await targetOf(postId);
    let noting: Promise<boolean> | undefined;
    await db.transaction().execute(async (trx) => {
      await deletePause(trx, 'sandbox');
      let isDone = false;
      noting = setPaused(db, target).finally(() => (isDone = true));
      await expect.poll(() => countWaiting(db)).toBe(1);
      expect(isDone).toBe(false);
    });
    expect(await noting).toBe(false);
    expect(await result(postId)).toMatchObject({ is_paused: false });
  });
});
