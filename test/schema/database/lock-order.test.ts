// The order in which rows of a post are locked: everywhere the same, so that nobody waits in a circle.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostResultRow, Transaction } from '../../../schema/database/tables.ts';
import { restartPost } from '../../../schema/database/dispatch/sweeping.ts';
import { setFailed, setNextPhase } from '../../../schema/database/posts/target-steps.ts';
import { findTarget } from '../../../schema/database/posts/targets.ts';
import { toFailure } from '../../../activities/publishing/failures.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';

const month = '2026-01';
let database: TestDatabase;
let post: Awaited<ReturnType<typeof addPost>>;
let result: PostResultRow;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

beforeEach(async () => {
  const { db } = database;
  post = await addPost(db);
  result = await db
    .updateTable('post_results')
    .set({ usage_month: month, is_paused: true })
    .where('post_id', '=', post.postId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await db
    .insertInto('account_usage')
    .values({ social_account_id: result.social_account_id, month, published: 1 })
    .execute();
});

const transact = <T>(work: (trx: Transaction) => Promise<T>) =>
  database.db.transaction().execute(work);

/** Others come to wait for a lock in less. */
const lockWaitMs = 50;

describe('restartPost', () => {
  test('waits for whoever writes a result and then its post', async () => {
    const { db } = database;
    const target = (await findTarget(db, result.id))!;
    let restarting: Promise<boolean> | undefined;
    await transact(async (trx) => {
      await trx
        .selectFrom('post_results')
        .select('id')
        .where('id', '=', result.id)
        .forUpdate()
        .execute();
      restarting = restartPost(db, post.postId, post.workflowId);
      await sleep(lockWaitMs);
      await setNextPhase(trx, target, { phase: 'commit', clock: {}, waitMs: 60_000 });
    });
    expect(await restarting).toBe(true);
  });
});

describe('setFailed', () => {
  test('holds no usage while it waits for the post', async () => {
    const { db } = database;
    const target = (await findTarget(db, result.id))!;
    let failing: Promise<unknown> | undefined;
    await transact(async (trx) => {
      await trx
        .selectFrom('posts')
        .select('id')
        .where('id', '=', post.postId)
        .forUpdate()
        .execute();
      failing = transact((other) => setFailed(other, target, toFailure('rejected', 'commit')));
      await sleep(lockWaitMs);
      await trx
        .selectFrom('account_usage')
        .select('month')
        .where('social_account_id', '=', result.social_account_id)
        .forUpdate()
        .noWait()
        .execute();
    });
    await failing;
  });
});
