// A process that stalls between the record of a call and the call itself: nothing was sent.
import { expect, test } from 'vitest';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import type { Phase } from '../../../schema/posts/posts.ts';
import {
  clock,
  createProcess,
  fewestCalls,
  noCalls,
} from '../../support/networks/call-ownership.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addTarget, advanceToEnd, getResult, targetRun } from '../../support/rows/targets.ts';
import { startSlowNetwork, type Behavior, type SlowNetwork } from '../../support/slow-network.ts';

const database = useDatabase();

/** A process whose event loop stands still after it has begun the calls with these numbers. */
function createStalling(network: SlowNetwork, numbers: readonly number[]): AdvanceDependencies {
  const dependencies = createProcess(database.db, network);
  const { heartbeats } = dependencies;
  return {
    ...dependencies,
    heartbeats: {
      ...heartbeats,
      keep(call) {
        const stop = heartbeats.keep(call);
        if (numbers.includes(call.steps)) standStill(clock.lostAfterMs / 2 + 50);
        return stop;
      },
    },
  };
}

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const advanceOnce = (dependencies: AdvanceDependencies, resultId: string) =>
  advanceTarget(dependencies, { resultId, run: targetRun });

const listAttempts = (resultId: string) =>
  database.db
    .selectFrom('post_attempts')
    .select(['phase', 'outcome', 'error_message'])
    .where('result_id', '=', resultId)
    .orderBy('number')
    .execute();

const cases: [Phase, number, Partial<Record<Phase, Behavior[]>>, object][] = [
  ['prepare', 1, {}, {}],
  ['commit', 2, {}, {}],
  ['confirm', 3, { commit: [{ accepts: true }] }, { confirm: 1 }],
  ['reconcile', 3, { commit: [{ losesAnswer: true }] }, { reconcile: 1 }],
];

test.each(cases)(
  'a stalled %s begins again and changes nothing else',
  async (phase, number, behaviors, calls) => {
    await using network = await startSlowNetwork(behaviors);
    const { resultId } = await addTarget(database.db);
    const dependencies = createStalling(network, [number]);
    expect((await advanceOnce(dependencies, resultId)).waitMs).toBeGreaterThan(0);
    expect((await listAttempts(resultId)).at(-1)).toMatchObject({ phase, outcome: 'stalled' });
    const row = await getResult(database.db, resultId);
    expect(row).toMatchObject({ phase, phase_state: 'ready', status: 'publishing' });
    expect(row.clock).not.toHaveProperty('unavailable');
    if (phase === 'reconcile') expect(row.clock).toMatchObject({ reconcileChecks: 1 });
    expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
    expect(network.calls).toEqual({ ...fewestCalls, ...calls });
    expect(network.posts).toEqual([resultId]);
  },
);

test('a stalled target keeps its places for as long as it stalled', async () => {
  await using network = await startSlowNetwork({});
  const { resultId } = await addTarget(database.db);
  const stalling = createStalling(network, [1]);
  const startedMs = performance.now();
  await advanceOnce(stalling, resultId);
  // The stall takes half of this time.
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(clock.lostAfterMs);
});

test('a commit that stalls more often than the retry schedule has steps is still published', async () => {
  await using network = await startSlowNetwork({});
  const { resultId } = await addTarget(database.db);
  const stalls = clock.unavailableDelaysMs.length + 2;
  const numbers = Array.from({ length: stalls }, (_, i) => 2 + i);
  const dependencies = createStalling(network, numbers);
  while ((await listAttempts(resultId)).length < stalls + 1) {
    await advanceOnce(dependencies, resultId);
    await database.db
      .updateTable('post_results')
      .set({ next_attempt_at: null })
      .where('id', '=', resultId)
      .execute();
  }
  expect(network.calls).toEqual({ ...noCalls, prepare: 1 });
  expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
  const attempts = await listAttempts(resultId);
  expect(attempts.map(({ outcome }) => outcome)).toEqual([
    'prepared',
    ...numbers.map(() => 'stalled'),
    'published',
  ]);
  expect(attempts[1]!.error_message).toBe('Fanfare stalled before the call and sent nothing.');
});
