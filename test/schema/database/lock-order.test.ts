// The order in which the rows of a post are locked: always the same, so that no deadlock occurs.
import { beforeEach, describe, expect, test } from 'vitest';
import type { PostResultRow, Transaction } from '../../../schema/database/tables.ts';
import { restartPost } from '../../../schema/database/dispatch/sweeping.ts';
import { setNextPhase } from '../../../schema/database/posts/next-phases.ts';
import { setFailed } from '../../../schema/database/posts/target-steps.ts';
import { findTarget } from '../../../schema/database/posts/targets.ts';
import { toFailure } from '../../../activities/publishing/record-outcome.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';
import { inQuietTransaction, quietNotifier } from '../../support/rows/quiet-transaction.ts';
import { countWaiting } from '../../support/rows/waiting.ts';

const month = '2026-01';
let post: Awaited<ReturnType<typeof addPost>>;
let result: PostResultRow;

const database = useDatabase();

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
  inQuietTransaction(database.db, work);

describe('restartPost', () => {
  test('waits for a transaction that writes a result and then its post', async () => {
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
      restarting = restartPost(db, quietNotifier, post.postId, post.workflowId);
      await expect.poll(() => countWaiting(db)).toBe(1);
      await setNextPhase(trx, quietNotifier, target, {
        phase: 'commit',
        clock: {},
        waitMs: 60_000,
      });
    });
    expect(await restarting).toBe(true);
  });
});

describe('setFailed', () => {
  test('holds no lock on usage while it waits for the post', async () => {
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
      await expect.poll(() => countWaiting(db)).toBe(1);
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
