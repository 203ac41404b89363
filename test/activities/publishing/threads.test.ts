// What answers a post of the same run: the parts of a thread, and the first comment.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { concludePost } from '../../../activities/publishing/conclude-post.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { createScriptedNetwork, type ScriptedNetwork } from '../../support/scripted-network.ts';
import {
  addAccount,
  addTargets,
  advanceToEnd,
  getResult,
  targetRun,
} from '../../support/rows/targets.ts';

let database: TestDatabase;
let network: ScriptedNetwork;
let dependencies: AdvanceDependencies;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

beforeEach(() => {
  network = createScriptedNetwork();
  dependencies = dependenciesOf(database.db, network, {
    ...defaultTargetClock,
    reconcileDelaysMs: [0, 5],
    unavailableDelaysMs: [1],
  });
});

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
  test('is published part by part, each answering the one before', async () => {
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

  test('leaves a part alone while the one before is on its way', async () => {
    const account = await addAccount(database.db);
    const { resultIds } = await addTargets(database.db, account, [{}, { answers: 0 }]);
    const second = { resultId: resultIds[1]!, run: targetRun };
    expect(await advanceTarget(dependencies, second)).toEqual({ waitMs: null });
    expect(await getResult(database.db, second.resultId)).toMatchObject({ status: 'pending' });
    expect(network.calls).toBe(0);
  });

  test('ends with the part that failed: what comes after says why, and is never sent', async () => {
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
  test('answers its post, and is no result of the event', async () => {
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

  test('that fails leaves its post published', async () => {
    const account = await addAccount(database.db);
    const { postId, resultIds } = await addTargets(database.db, account, [
      {},
      { answers: 0, kind: 'comment', caption: 'first!' },
    ]);
    network.script = ['publish', 'reject'];
    for (const resultId of resultIds) await advanceToEnd(dependencies, resultId);
    expect((await conclude(postId)).status).toBe('published');
  });

  test('whose answer was lost is found, and made once', async () => {
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
