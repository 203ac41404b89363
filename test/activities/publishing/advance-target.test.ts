// A target's phases, at a network where a repeated commit is a second post.
import { describe, expect, test } from 'vitest';
import { createGroupedReads } from '../../../activities/publishing/grouped-reads.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { concludePost } from '../../../activities/publishing/conclude-post.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { beginPhase, setPublished } from '../../../schema/database/posts/grouped-steps.ts';
import { heartbeatsOfTargets } from '../../../schema/database/posts/call-heartbeats.ts';
import { setNextPhase } from '../../../schema/database/posts/next-phases.ts';
import { findTarget } from '../../../schema/database/posts/targets.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { countAnswers } from '../../support/rows/statements.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';
import { advanceToEnd, getResult, targetRun, addTarget } from '../../support/rows/targets.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';

const run = targetRun;

const database = useDatabase();

const network = useScriptedNetwork();
const dependencies = forEachTest(() =>
  dependenciesOf(database.db, network, {
    ...defaultTargetClock,
    reconcileDelaysMs: [0, 5, 5],
    unavailableDelaysMs: [1, 1],
  }),
);

const createTarget = () => addTarget(database.db);

const advance = (resultId: string) => advanceToEnd(dependencies, resultId);
const result = (resultId: string) => getResult(database.db, resultId);

/** The row of a process that died during its commit and no longer owns it. */
async function dieInCommit(resultId: string): Promise<void> {
  const row = (await findTarget(database.db, resultId))!;
  await beginPhase(database.db, quietNotifier, row, 'commit', null);
  await heartbeatsOfTargets(database.db).release([{ id: resultId, steps: row.steps + 1 }]);
}

const disconnect = (accountId: string) =>
  database.db
    .updateTable('social_accounts')
    .set({ status: 'disconnected', grant_id: null })
    .where('id', '=', accountId)
    .execute();

const attempts = (resultId: string) =>
  database.db
    .selectFrom('post_attempts')
    .select(['number', 'phase', 'outcome'])
    .where('result_id', '=', resultId)
    .orderBy('number')
    .execute();

describe('advanceTarget', () => {
  test('publishes once and records its attempts', async () => {
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

  test('finds the post after a lost answer, and makes no second post', async () => {
    const { resultId } = await createTarget();
    network.script = ['lose_answer'];
    expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 1 });
    expect(network.posts).toEqual([resultId]);
  });

  test('commits again after a refusal that certainly came before acceptance', async () => {
    const { resultId } = await createTarget();
    network.script = ['cut_before', 'cut_before'];
    expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 3 });
    expect(network.posts).toEqual([resultId]);
  });

  test('fails as unavailable at the end of the retry schedule', async () => {
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

  test('fails with the message of the network when it rejects the post', async () => {
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

  test('returns the wait until a rate limit is over', async () => {
    const { resultId } = await createTarget();
    network.script = ['rate_limit'];
    const { waitMs } = await advanceTarget(dependencies, { resultId, run });
    expect(waitMs).toBeGreaterThan(50_000);
    expect((await result(resultId)).next_attempt_at!.getTime()).toBeGreaterThan(Date.now());
  });

  test('checks for the post when the process that began the commit is dead', async () => {
    const { resultId } = await createTarget();
    await dieInCommit(resultId);
    network.posts.push(resultId);
    expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 1 });
    expect(network.posts).toEqual([resultId]);
  });

  test('commits when the process that began the commit is dead and every check finds nothing', async () => {
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
    await beginPhase(database.db, quietNotifier, row, 'commit', null);
    await database.db
      .updateTable('posts')
      .set({ current_run: 2 })
      .where('id', '=', postId)
      .execute();
    const { db, count } = countAnswers(database.db);
    const reads = createGroupedReads(db);
    const next = advanceTarget({ ...dependencies, reads }, { resultId, run: 2 });
    // It has read the target by then.
    await expect.poll(count).toBeGreaterThan(0);
    expect(await result(resultId)).toMatchObject({ phase: 'commit', phase_state: 'begun' });
    await setPublished(database.db, quietNotifier, {
      row: { ...row, steps: 1 },
      published: { externalId: 'x', url: null, visibility: null },
      durationMs: 1,
    });
    expect(await next).toEqual({ waitMs: null });
    expect(network.calls).toBe(0);
  });

  test('ends as an unknown outcome when the account is gone before the check', async () => {
    const { resultId, accountId } = await createTarget();
    await dieInCommit(resultId);
    await disconnect(accountId);
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'outcome_unknown',
      failure_stage: 'reconcile',
      next_action: 'check_network',
      is_retriable: false,
    });
  });

  test('does not change the row when another execution has changed it', async () => {
    const { resultId } = await createTarget();
    const stale = (await findTarget(database.db, resultId))!;
    await beginPhase(database.db, quietNotifier, stale, 'commit', null);
    await setNextPhase(database.db, quietNotifier, stale, {
      phase: 'commit',
      clock: {},
      waitMs: null,
    });
    expect(await result(resultId)).toMatchObject({ phase: 'commit', phase_state: 'begun' });
  });

  test('begins a phase once when two executions try at the same time', async () => {
    const { resultId } = await createTarget();
    const row = (await findTarget(database.db, resultId))!;
    const begun = await Promise.all(
      [1, 2, 3].map(() => beginPhase(database.db, quietNotifier, row, 'commit', null)),
    );
    expect(begun.filter(Boolean)).toHaveLength(1);
  });

  test('does nothing for a run that was superseded', async () => {
    const { resultId } = await createTarget();
    expect(await advanceTarget(dependencies, { resultId, run: 0 })).toEqual({ waitMs: null });
    expect(network.posts).toEqual([]);
  });

  test('fails a target whose account was disconnected meanwhile', async () => {
    const { resultId, accountId } = await createTarget();
    await disconnect(accountId);
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'account_disconnected',
      failure_stage: 'validate',
    });
    expect(network.calls).toBe(0);
  });

  test('fails a target whose network cannot fetch media from this installation', async () => {
    const { resultId } = await createTarget();
    Object.assign(dependencies, { platforms: createPlatforms([], ['sandbox']) });
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'media_not_public',
      failure_stage: 'validate',
      next_action: 'contact_operator',
    });
    expect(network.calls).toBe(0);
  });

  test('fails a target whose network is not configured, before anything is sent', async () => {
    const { resultId } = await createTarget();
    Object.assign(dependencies, { platforms: createPlatforms([]) });
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'platform_not_configured',
      failure_stage: 'validate',
    });
  });
});

describe('concludePost', () => {
  test('records one event even if it is called again', async () => {
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
    const row = await result(resultId);
    expect(JSON.parse(events[0]!.body).data).toMatchObject({
      id: postId,
      status: 'published',
      scheduled_at: null,
      results: [{ id: row.id, external_id: 'post-0', error_code: null }],
    });
  });
});
