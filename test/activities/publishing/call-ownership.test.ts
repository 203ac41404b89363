// Several processes at one target: a call belongs to the process that began it, until that one is dead.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { heartbeatsOfTargets } from '../../../schema/database/posts/call-heartbeats.ts';
import { createCallHeartbeats } from '../../../activities/publishing/call-ownership.ts';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { ownedForMs } from '../../../activities/publishing/call-ownership.ts';
import { beginPhase } from '../../../schema/database/posts/grouped-steps.ts';
import { findTarget, type TargetRow } from '../../../schema/database/posts/targets.ts';
import type { Phase } from '../../../schema/posts/posts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import {
  clock,
  createProcess,
  fewestCalls,
  noCalls,
  waitForCall,
  waitForLongCall,
} from '../../support/networks/call-ownership.ts';
import { startSlowNetwork, type Behavior, type SlowNetwork } from '../../support/slow-network.ts';
import { advanceToEnd, getResult, targetRun, addTarget } from '../../support/rows/targets.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';

/** The second check is never made. */
const checkedOnce = { ...clock, reconcileDelaysMs: [0, 60_000] };

let database: TestDatabase;
vi.setConfig({ maxConcurrency: 20 });
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(async () => {
  vi.resetConfig();
  await database.drop();
});

const createTarget = async () => (await addTarget(database.db)).resultId;

/** A process whose heartbeats don't reach the database. */
function createSilentProcess(network: SlowNetwork, itsClock = clock): AdvanceDependencies {
  const dependencies = createProcess(database.db, network, itsClock);
  return { ...dependencies, heartbeats: { ...dependencies.heartbeats, keep: () => () => {} } };
}

const result = (resultId: string) => getResult(database.db, resultId);
const advanceOnce = (dependencies: AdvanceDependencies, resultId: string) =>
  advanceTarget(dependencies, { resultId, run: targetRun });

/** Leaves the row like a process that dies during its call. */
async function dieIn(phase: Phase, resultId: string): Promise<void> {
  const row = (await findTarget(database.db, resultId))!;
  await beginPhase(database.db, quietNotifier, row, phase, null);
}

describe.concurrent('a call of a living process', () => {
  type Behave = (slow: Behavior) => Partial<Record<Phase, Behavior[]>>;
  const cases: [Phase, Behave, object][] = [
    ['prepare', (slow) => ({ prepare: [slow] }), {}],
    ['commit', (slow) => ({ commit: [slow] }), {}],
    ['confirm', (slow) => ({ commit: [{ accepts: true }], confirm: [slow] }), { confirm: 1 }],
    [
      'reconcile',
      (slow) => ({ commit: [{ losesAnswer: true }], reconcile: [slow] }),
      { reconcile: 1 },
    ],
  ];
  test.each(cases)('is not repeated by another process: %s', async (phase, behave, calls) => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await using network = await startSlowNetwork(behave({ until }));
    const resultId = await createTarget();
    const first = advanceToEnd(createProcess(database.db, network), resultId);
    await waitForCall(network, phase);
    const second = advanceToEnd(createProcess(database.db, network), resultId);
    await waitForLongCall(database.db, resultId);
    answer();
    await Promise.all([first, second]);
    expect(network.calls).toEqual({ ...fewestCalls, ...calls });
    expect(network.posts).toEqual([resultId]);
    expect(await result(resultId)).toMatchObject({ status: 'published', attempts: 1 });
  });
});

describe.concurrent('the call of a dead process', () => {
  test.each<[Phase, object]>([
    ['prepare', { ...noCalls, prepare: 1, commit: 1 }],
    // The network has no post, so it is committed after the last check.
    ['commit', { ...noCalls, commit: 1, reconcile: 3 }],
    // The dead process's check doesn't count.
    ['reconcile', { ...noCalls, commit: 1, reconcile: 4 }],
  ])('is taken over when its heartbeat is lost, and not earlier: %s', async (phase, calls) => {
    await using network = await startSlowNetwork({});
    const resultId = await createTarget();
    await dieIn(phase, resultId);
    expect(await advanceToEnd(createProcess(database.db, network), resultId)).toMatchObject({
      status: 'published',
    });
    expect(network.calls).toEqual(calls);
    const [lost, next] = await database.db
      .selectFrom('post_attempts')
      .select('started_at')
      .where('result_id', '=', resultId)
      .orderBy('number')
      .execute();
    const waitedMs = next!.started_at.getTime() - lost!.started_at.getTime();
    expect(waitedMs).toBeGreaterThanOrEqual(clock.lostAfterMs);
  });

  test('is taken over at once when the process has released it', async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await using network = await startSlowNetwork({ prepare: [{ until }] });
    const resultId = await createTarget();
    const stopping = createProcess(database.db, network);
    const first = advanceToEnd(stopping, resultId);
    await waitForCall(network, 'prepare');
    await stopping.heartbeats.releaseAll();
    // Its wait is longer than the test.
    await advanceToEnd(
      createProcess(database.db, network, { ...clock, lostAfterMs: 600_000 }),
      resultId,
    );
    answer();
    expect(await first).toMatchObject({ status: 'published' });
    expect(network.calls).toEqual({ ...fewestCalls, prepare: 2 });
  });
});

describe.concurrent('a process whose call was taken over', () => {
  test('leaves the target to the other process', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    await using network = await startSlowNetwork({
      prepare: gates.map(({ promise: until }) => ({ until })),
    });
    const resultId = await createTarget();
    const first = advanceOnce(createSilentProcess(network), resultId);
    await waitForCall(network, 'prepare');
    // Its heartbeats are lost too. If superseded processes began again, the two would alternate forever.
    const second = advanceToEnd(createSilentProcess(network), resultId);
    await waitForCall(network, 'prepare', 2);
    gates[0].resolve();
    expect((await first).waitMs).toBeGreaterThan(0);
    gates[1].resolve();
    await second;
    expect(network.calls).toEqual({ ...fewestCalls, prepare: 2 });
  });

  /** The first process is in a commit that the only check of the second one did not find. */
  async function takeOverCommit(network: SlowNetwork, resultId: string) {
    const first = advanceOnce(createSilentProcess(network, checkedOnce), resultId);
    await waitForCall(network, 'commit');
    await advanceOnce(createProcess(database.db, network, checkedOnce), resultId);
    return { first };
  }

  test('publishes the target if its commit succeeded', async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await using network = await startSlowNetwork({ commit: [{ until }] });
    const resultId = await createTarget();
    const { first } = await takeOverCommit(network, resultId);
    expect(await result(resultId)).toMatchObject({ status: 'publishing', phase: 'reconcile' });
    answer();
    expect(await first).toEqual({ waitMs: null });
    expect(await result(resultId)).toMatchObject({ status: 'published', external_id: 'post-0' });
  });

  test('fails the target if its commit is the newest commit and was refused', async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await using network = await startSlowNetwork({ commit: [{ until, refuses: true }] });
    const resultId = await createTarget();
    const { first } = await takeOverCommit(network, resultId);
    expect(await result(resultId)).toMatchObject({ phase: 'reconcile', steps: 3 });
    answer();
    expect(await first).toEqual({ waitMs: null });
    expect(await result(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'rejected',
      failure_stage: 'commit',
    });
  });

  test('changes nothing if its commit is refused after the post was found', async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await using network = await startSlowNetwork({ commit: [{ until, refuses: true }] });
    const resultId = await createTarget();
    network.posts.push(resultId);
    const { first } = await takeOverCommit(network, resultId);
    expect(await result(resultId)).toMatchObject({ status: 'published' });
    answer();
    expect(await first).toEqual({ waitMs: null });
    expect(await result(resultId)).toMatchObject({ status: 'published', error_code: null });
  });

  test('changes nothing if its commit is refused after a newer commit has begun', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    await using network = await startSlowNetwork({
      commit: [{ until: gates[0].promise, refuses: true }, { until: gates[1].promise }],
    });
    const resultId = await createTarget();
    const first = advanceOnce(createSilentProcess(network), resultId);
    await waitForCall(network, 'commit');
    const second = advanceToEnd(createProcess(database.db, network), resultId);
    await waitForCall(network, 'commit', 2);
    gates[0].resolve();
    await first;
    expect(await result(resultId)).toMatchObject({ status: 'publishing', attempts: 2 });
    gates[1].resolve();
    expect(await second).toMatchObject({ status: 'published', attempts: 2 });
  });
});

describe('ownedForMs', () => {
  const at = (ms: number) => new Date(1_800_000_000_000 + ms);
  const row = (readMs: number, heartbeatMs: number | null) =>
    ({
      phase_state: 'begun',
      begun_at: at(0),
      heartbeat_at: heartbeatMs === null ? null : at(heartbeatMs),
      read_at: at(readMs),
    }) as TargetRow;
  const owned = (readMs: number, heartbeatMs: number | null) =>
    ownedForMs(row(readMs, heartbeatMs), { lostAfterMs: 6_000 }, 30_000);

  test('lasts until the heartbeat is lost', () => {
    expect([owned(0, 0), owned(5_999, 0), owned(6_000, 0)]).toEqual([6_000, 1, 0]);
    expect(owned(7_000, 6_000)).toBe(5_000);
  });

  test('ends at the timeout of the call, even with a fresh heartbeat', () => {
    expect([owned(31_000, 31_000), owned(35_000, 35_000)]).toEqual([4_000, 0]);
  });

  test('is 0 when the call was released, or none has begun', () => {
    expect(owned(1, null)).toBe(0);
    const ready = { ...row(1, 0), phase_state: 'ready' as const };
    expect(ownedForMs(ready, { lostAfterMs: 6_000 }, 30_000)).toBe(0);
  });
});

describe('a stopping process', () => {
  test('waits for its calls in flight, and not for long', async () => {
    const heartbeats = createCallHeartbeats(heartbeatsOfTargets(database.db), clock);
    await heartbeats.settled(60_000);
    const stop = heartbeats.keep({ id: 'res_1', steps: 1 });
    let hasSettled = false;
    const settled = heartbeats.settled(60_000).then(() => (hasSettled = true));
    await heartbeats.settled(10);
    expect(hasSettled).toBe(false);
    stop();
    await settled;
  });
});
