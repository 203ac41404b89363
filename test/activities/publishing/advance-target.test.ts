// A target's way through its phases, against a network on which a repeated commit is a second post.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { concludePost } from '../../../activities/publishing/conclude-post.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import {
  beginPhase,
  releaseCalls,
  setNextPhase,
  setPublished,
} from '../../../schema/database/posts/target-steps.ts';
import { findTarget } from '../../../schema/database/posts/targets.ts';
import { listResults } from '../../../schema/database/posts/posts.ts';
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

const run = targetRun;

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
    reconcileDelaysMs: [0, 5, 5],
    unavailableDelaysMs: [1, 1],
  });
});

/** One post with one target, claimed by a run. */
async function createTarget(): Promise<{ postId: string; resultId: string; accountId: string }> {
  const account = await addAccount(database.db);
  const { postId, resultIds } = await addTargets(database.db, account);
  return { postId, resultId: resultIds[0]!, accountId: account.accountId };
}

const advance = (resultId: string) => advanceToEnd(dependencies, resultId);
const result = (resultId: string) => getResult(database.db, resultId);

/** The row as a process leaves it that dies in its commit and is known to be dead. */
async function dieInCommit(resultId: string): Promise<void> {
  const row = (await findTarget(database.db, resultId))!;
  await beginPhase(database.db, row, 'commit');
  await releaseCalls(database.db, [{ id: resultId, steps: row.steps + 1 }]);
}

const attempts = (resultId: string) =>
  database.db
    .selectFrom('post_attempts')
    .select(['number', 'phase', 'outcome'])
    .where('result_id', '=', resultId)
    .orderBy('number')
    .execute();

describe('advanceTarget', () => {
  test('publishes once and tells the story of it', async () => {
    const { resultId } = await createTarget();
    expect(await advance(resultId)).toMatchObject({
      status: 'published',
      external_id: 'post-0',
      attempts: 1,
    });
    expect(network.posts).toEqual([resultId]);
    expect(await attempts(resultId)).toEqual([
      { number: 1, phase: 'commit', outcome: 'published' },
    ]);
  });

  test('finds the post whose answer was lost, and makes no second one', async () => {
    const { resultId } = await createTarget();
    network.script = ['lose_answer'];
    expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 1 });
    expect(network.posts).toEqual([resultId]);
  });

  test('commits again after a refusal that surely came before acceptance', async () => {
    const { resultId } = await createTarget();
    network.script = ['cut_before', 'cut_before'];
    expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 3 });
    expect(network.posts).toEqual([resultId]);
  });

  test('ends as unavailable when the retry schedule is through', async () => {
    const { resultId } = await createTarget();
    network.script = ['cut_before', 'cut_before', 'cut_before'];
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'unavailable',
      platform_error_code: 'ECONNREFUSED',
      failure_stage: 'commit',
      is_retriable: true,
      next_action: 'retry',
    });
    expect(network.posts).toEqual([]);
  });

  test('says what the network says when it refuses for good', async () => {
    const { resultId } = await createTarget();
    network.script = ['reject'];
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'rejected',
      error_message: 'The text is not welcome here.',
      platform_error_code: '42',
      next_action: 'edit_content',
    });
  });

  test('asks to be called again when a rate limit is over', async () => {
    const { resultId } = await createTarget();
    network.script = ['rate_limit'];
    const { waitMs } = await advanceTarget(dependencies, { resultId, run });
    expect(waitMs).toBeGreaterThan(59_000);
    expect((await result(resultId)).next_attempt_at!.getTime()).toBeGreaterThan(Date.now());
  });

  test('looks for the post when whoever began the commit is gone', async () => {
    const { resultId } = await createTarget();
    await dieInCommit(resultId);
    network.posts.push(resultId);
    expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 1 });
    expect(network.posts).toEqual([resultId]);
  });

  test('commits when whoever began the commit is gone and every look finds nothing', async () => {
    const { resultId } = await createTarget();
    await dieInCommit(resultId);
    expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 2 });
    expect(await attempts(resultId)).toMatchObject([
      { phase: 'commit', outcome: 'begun' },
      { phase: 'reconcile', outcome: 'absent' },
      { phase: 'reconcile', outcome: 'absent' },
      { phase: 'reconcile', outcome: 'absent' },
      { phase: 'commit', outcome: 'published' },
    ]);
  });

  test('waits for a commit that an earlier run has just begun', async () => {
    const { resultId, postId } = await createTarget();
    const row = (await findTarget(database.db, resultId))!;
    await beginPhase(database.db, row, 'commit');
    await database.db
      .updateTable('posts')
      .set({ current_run: 2 })
      .where('id', '=', postId)
      .execute();
    const next = advanceTarget(dependencies, { resultId, run: 2 });
    await sleep(50);
    expect(await result(resultId)).toMatchObject({ phase: 'commit', phase_state: 'begun' });
    await setPublished(database.db, { ...row, steps: 1 }, { externalId: 'x', url: null }, 1);
    expect(await next).toEqual({ waitMs: null });
    expect(network.calls).toBe(0);
  });

  test('says that the outcome is unknown when the account is gone before the look', async () => {
    const { resultId, accountId } = await createTarget();
    await dieInCommit(resultId);
    await database.db
      .updateTable('social_accounts')
      .set({ status: 'disconnected', credentials: null })
      .where('id', '=', accountId)
      .execute();
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'outcome_unknown',
      failure_stage: 'reconcile',
      next_action: 'check_network',
      is_retriable: false,
    });
  });

  test('leaves the row alone when another execution was here meanwhile', async () => {
    const { resultId } = await createTarget();
    const stale = (await findTarget(database.db, resultId))!;
    await beginPhase(database.db, stale, 'commit');
    await setNextPhase(database.db, stale, { phase: 'commit', clock: {}, waitMs: null });
    expect(await result(resultId)).toMatchObject({ phase: 'commit', phase_state: 'begun' });
  });

  test('a phase that two begin at once is begun by one', async () => {
    const { resultId } = await createTarget();
    const row = (await findTarget(database.db, resultId))!;
    const begun = await Promise.all([1, 2, 3].map(() => beginPhase(database.db, row, 'commit')));
    expect(begun.filter(Boolean)).toHaveLength(1);
  });

  test('does nothing for a run that was superseded', async () => {
    const { resultId } = await createTarget();
    expect(await advanceTarget(dependencies, { resultId, run: 0 })).toEqual({ waitMs: null });
    expect(network.posts).toEqual([]);
  });

  test('fails a target whose account was disconnected meanwhile', async () => {
    const { resultId, accountId } = await createTarget();
    await database.db
      .updateTable('social_accounts')
      .set({ status: 'disconnected', credentials: null })
      .where('id', '=', accountId)
      .execute();
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'account_disconnected',
      failure_stage: 'validate',
    });
    expect(network.calls).toBe(0);
  });

  test('fails a target whose network is not configured, before anything is sent', async () => {
    const { resultId } = await createTarget();
    dependencies = { ...dependencies, platforms: createPlatforms([]) };
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'platform_not_configured',
      failure_stage: 'validate',
    });
  });
});

describe('concludePost', () => {
  test('records one event however often it is asked', async () => {
    const { postId, resultId } = await createTarget();
    await concludePost(dependencies, { postId, run });
    await advance(resultId);
    await Promise.all([1, 2, 3].map(() => concludePost(dependencies, { postId, run })));
    const events = await database.db
      .selectFrom('events')
      .select(['kind', 'body'])
      .where('post_id', '=', postId)
      .execute();
    expect(events.map((event) => event.kind)).toEqual(['post.published']);
    const [row] = await listResults(database.db, [postId]);
    expect(JSON.parse(events[0]!.body).data).toMatchObject({
      id: postId,
      status: 'published',
      scheduled_at: null,
      results: [{ id: row!.id, external_id: 'post-0', error_code: null }],
    });
  });
});
