// Replies to posts of the same run: parts of a thread, and first comments.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { concludePost } from '../../../activities/publishing/conclude-post.ts';
import { insertRestore } from '../../../schema/database/dispatch/restores.ts';
import { reopenResult } from '../../../schema/database/posts/changes.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';
import {
  addAccount,
  addTargets,
  advanceToEnd,
  getResult,
  targetRun,
} from '../../support/rows/targets.ts';

const database = useDatabase();

const network = useScriptedNetwork();
const dependencies = forEachTest(() =>
  dependenciesOf(database.db, network, {
    ...defaultTargetClock,
    reconcileDelaysMs: [0, 5],
    unavailableDelaysMs: [1],
  }),
);

async function conclude(postId: string) {
  await concludePost(dependencies, { postId, run: targetRun });
  const post = await database.db
    .selectFrom('posts')
    .select('status')
    .where('id', '=', postId)
    .executeTakeFirstOrThrow();
  const events = await database.db
    .selectFrom('events')
    .select(['kind', 'body'])
    .where('post_id', '=', postId)
    .execute();
  return { status: post.status, events };
}

describe('a thread', () => {
  test('is published part by part, each part as a reply to the part before', async () => {
    const account = await addAccount(database.db);
    const { resultIds } = await addTargets(database.db, account, [
      {},
      { answers: 0 },
      { answers: 1 },
    ]);
    for (const resultId of resultIds) await advanceToEnd(dependencies, resultId);
    expect(network.posts).toEqual(resultIds);
    expect(network.repliedTo).toEqual([null, 'post-0', 'post-1']);
  });

  test('does not publish a part before the previous one has ended', async () => {
    const account = await addAccount(database.db);
    const { resultIds } = await addTargets(database.db, account, [{}, { answers: 0 }]);
    const second = { resultId: resultIds[1]!, run: targetRun };
    expect(await advanceTarget(dependencies, second)).toEqual({ waitMs: null });
    expect(await getResult(database.db, second.resultId)).toMatchObject({ status: 'pending' });
    expect(network.calls).toBe(0);
  });

  test('ends with the part that failed: later parts say why, and are never sent', async () => {
    const account = await addAccount(database.db);
    const { postId, resultIds } = await addTargets(database.db, account, [
      {},
      { answers: 0 },
      { answers: 1 },
    ]);
    network.script = ['publish', 'reject'];
    for (const resultId of resultIds) await advanceToEnd(dependencies, resultId);
    expect(await getResult(database.db, resultIds[2]!)).toMatchObject({
      status: 'failed',
      error_code: 'answered_post_missing',
      failure_stage: 'validate',
      is_retriable: true,
      attempts: 0,
    });
    expect(network.posts).toEqual([resultIds[0]]);
    const { status, events } = await conclude(postId);
    expect(status).toBe('partial');
    expect(events.map(({ kind }) => kind)).toEqual(['post.partial']);
  });
});

describe('a first comment', () => {
  test('replies to its post, and is not in the results of the event', async () => {
    const account = await addAccount(database.db);
    const { postId, resultIds } = await addTargets(database.db, account, [
      {},
      { answers: 0, kind: 'comment', caption: 'first!' },
    ]);
    await advanceToEnd(dependencies, resultIds[0]!);
    expect((await conclude(postId)).events).toEqual([]);
    await advanceToEnd(dependencies, resultIds[1]!);
    expect(network.repliedTo).toEqual([null, 'post-0']);
    const { status, events } = await conclude(postId);
    expect(status).toBe('published');
    const { data } = JSON.parse(events[0]!.body);
    expect(data.results.map(({ id }: { id: string }) => id)).toEqual([resultIds[0]]);
  });

  test('leaves its post published if the comment fails', async () => {
    const account = await addAccount(database.db);
    const { postId, resultIds } = await addTargets(database.db, account, [
      {},
      { answers: 0, kind: 'comment', caption: 'first!' },
    ]);
    network.script = ['publish', 'reject'];
    for (const resultId of resultIds) await advanceToEnd(dependencies, resultId);
    expect((await conclude(postId)).status).toBe('published');
  });

  test('is found, and published once, if its answer was lost', async () => {
    const account = await addAccount(database.db);
    const { resultIds } = await addTargets(database.db, account, [
      {},
      { answers: 0, kind: 'comment', caption: 'first!' },
    ]);
    network.script = ['publish', 'lose_answer'];
    for (const resultId of resultIds) await advanceToEnd(dependencies, resultId);
    expect(network.posts).toEqual(resultIds);
    expect((await getResult(database.db, resultIds[1]!)).status).toBe('published');
  });
});

describe('a network that gives no IDs', () => {
  const attemptsOf = (resultId: string) =>
    database.db
      .selectFrom('post_attempts')
      .select(['phase', 'outcome'])
      .where('result_id', '=', resultId)
      .orderBy('number')
      .execute();

  test.each(['publish', 'lose_answer'] as const)(
    'publishes a post, and sends no reply to it: %s',
    async (behaviour) => {
      network.givesIds = false;
      network.script = [behaviour];
      const account = await addAccount(database.db);
      const { postId, resultIds } = await addTargets(database.db, account, [
        {},
        { answers: 0 },
        { answers: 0, kind: 'comment', caption: 'first!' },
        { answers: 1 },
      ]);
      const [first, ...replies] = resultIds;
      for (const resultId of resultIds) await advanceToEnd(dependencies, resultId);
      expect(await getResult(database.db, first!)).toMatchObject({
        status: 'published',
        external_id: null,
        visibility: 'public',
        attempts: 1,
      });
      for (const reply of replies) {
        expect(await getResult(database.db, reply)).toMatchObject({
          status: 'failed',
          error_code: 'answered_post_missing',
          failure_stage: 'validate',
          attempts: 0,
        });
        expect(await attemptsOf(reply)).toEqual([]);
      }
      expect(network.posts).toEqual([first]);
      const { status, events } = await conclude(postId);
      expect(status).toBe('partial');
      const { data } = JSON.parse(events[0]!.body);
      expect(data.results[0]).toMatchObject({ external_id: null, visibility: 'public' });
    },
  );

  test('leaves a reply from before a restore as unknown, and its retry checks and sends nothing', async () => {
    network.givesIds = false;
    const account = await addAccount(database.db);
    const { postId, resultIds } = await addTargets(database.db, account, [{}, { answers: 0 }]);
    const [first, reply] = [resultIds[0]!, resultIds[1]!];
    await advanceToEnd(dependencies, first);
    await database.db
      .updateTable('posts')
      .set({ due_at: sql<Date>`now()` })
      .where('id', '=', postId)
      .execute();
    await insertRestore(database.db);
    const unknown = { status: 'failed', error_code: 'outcome_unknown', attempts: 0 };
    const row = await advanceToEnd(dependencies, reply);
    expect(row).toMatchObject(unknown);
    await inQuietTransaction(database.db, (trx) => reopenResult(trx, account.projectId, row));
    expect(await advanceToEnd(dependencies, reply)).toMatchObject(unknown);
    expect(await attemptsOf(reply)).toEqual([]);
    expect(network.posts).toEqual([first]);
  });
});
