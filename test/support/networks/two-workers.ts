// Two workers advance one target at the same time. The network stalls, or one of the workers dies.
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import type { TargetClock } from '../../../schema/retry.ts';
import { forFile } from '../fixtures.ts';
import { useDatabase } from '../rows/database.ts';
import { expectConsistent } from './consistency.ts';
import type { Trouble } from './expected-end.ts';
import { createFailingWorker, createWorkerPool, type FailingWorker } from './failing-worker.ts';
import { planWayTo } from './fault-matrix.ts';
import { stalls, type Fault } from './faults.ts';
import type { NetworkKind, SimulatedNetwork } from './network.ts';
import { advanceToEnd, dependenciesOf, shortClock, writePost } from './posting.ts';

const callTimeoutMs = 1_000;
/** The checks outlast a stall. A call is taken over before it times out, unless its owner reports. */
const clock: TargetClock = {
  ...shortClock,
  unavailableDelaysMs: [10, 50, 100, 200, 400],
  reconcileDelaysMs: [0, 500, 1_200],
  heartbeatMs: 100,
  lostAfterMs: 500,
};

interface Case {
  stage: Trouble['stage'];
  call: number;
  fault?: Fault;
  /** When the worker of the call dies. Absent: it doesn't. */
  dies?: 'before' | 'after';
  /** The heartbeats of both workers don't arrive. */
  areSilent?: boolean;
}

export function describeTwoWorkers(kind: NetworkKind): void {
  const database = useDatabase();
  const pool = forFile(
    () => createWorkerPool(database.url),
    (made) => made.end(),
  );
  vi.setConfig({ maxConcurrency: 50 });
  afterAll(() => vi.resetConfig());

  describe.concurrent(`a target of two workers at ${kind.name}`, () => {
    test.each(listCases(kind))(
      'is published once: $stage, call $call, fault: $fault, dies: $dies, silent: $areSilent',
      async (given) => {
        const { stage, call, fault, dies, areSilent } = given;
        await using network = await kind.start(database.db);
        const { switchboard } = network;
        planWayTo(stage, kind, network);
        if (fault) switchboard.plans.push({ stage, call, times: 1, fault });
        const post = await writePost(database.db, network);

        const current = new AsyncLocalStorage<FailingWorker>();
        const callers = new Set<FailingWorker>();
        switchboard.onCall = async (...now) => {
          const worker = current.getStore()!;
          callers.add(worker);
          if (String(now) === String([dies, stage, call])) await worker.die();
        };
        const advance = () => {
          const worker = createFailingWorker({ pool });
          const own = { ...dependenciesOf(worker.db, network, clock), callTimeoutMs };
          const dependencies = areSilent ? withoutHeartbeats(own) : own;
          return current.run(worker, () =>
            worker.run(() => advanceToEnd(dependencies, post.resultIds[0]!)),
          );
        };
        await Promise.all([advance(), advance()]);

        const dependencies = dependenciesOf(database.db, network, clock);
        const areAttemptsComplete = !dies;
        const [row] = await expectConsistent(dependencies, network, post, { areAttemptsComplete });
        expect(row).toMatchObject({ status: 'published' });
        expect(await network.listPosts()).toHaveLength(1);
        expect(switchboard.count('commit')).toBe(countCommits(network, given));
        // The fault occurred.
        expect(switchboard.count(stage)).toBeGreaterThanOrEqual(call);
        if (stage === 'refresh') expect(await network.countRefreshes()).toBe(1);
        // The other worker took the call over.
        if (dies || areSilent) expect(callers.size).toBe(2);
      },
    );
  });
}

export function describeDeathBesideAnother(kind: NetworkKind): void {
  const database = useDatabase();
  const pool = forFile(
    () => createWorkerPool(database.url),
    (made) => made.end(),
  );

  /** Returns the steps of the first worker, which dies after one of them. */
  async function publish(dyingStep?: number): Promise<readonly string[]> {
    await using network = await kind.start(database.db);
    const { switchboard } = network;
    const post = await writePost(database.db, network);
    const current = new AsyncLocalStorage<FailingWorker>();
    const advance = (worker: FailingWorker) => {
      const dependencies = { ...dependenciesOf(worker.db, network, clock), callTimeoutMs };
      return current.run(worker, () =>
        worker.run(() => advanceToEnd(dependencies, post.resultIds[0]!)),
      );
    };
    const interruption =
      dyingStep && ({ step: dyingStep, moment: 'after', failure: 'dies' } as const);
    const first = createFailingWorker({ pool, ...(interruption && { interruption }) });
    first.follow(switchboard);
    const follow = switchboard.onCall!;
    switchboard.onCall = async (...now) => {
      if (current.getStore() === first) await follow(...now);
    };
    await Promise.all([advance(first), advance(createFailingWorker({ pool }))]);
    const dependencies = dependenciesOf(database.db, network, clock);
    const areAttemptsComplete = !dyingStep;
    const [row] = await expectConsistent(dependencies, network, post, { areAttemptsComplete });
    expect(row).toMatchObject({ status: 'published' });
    return first.steps;
  }

  test(`a target at ${kind.name} is published once when one of its two workers dies at any step`, async () => {
    const { length } = await publish();
    expect(length).toBeGreaterThan(10);
    const steps = await Promise.all(Array.from({ length }, (_, i) => publish(i + 1)));
    // The first worker died, unless the other one was faster.
    const deaths = steps.filter((taken, i) => taken.length === i + 1);
    expect(deaths.length).toBeGreaterThan(length / 2);
  });
}

const withoutHeartbeats = (dependencies: AdvanceDependencies): AdvanceDependencies => ({
  ...dependencies,
  heartbeats: { keep: () => () => undefined, releaseAll: () => Promise.resolve() },
});

/** A commit is repeated only if the network didn't take it, or recognizes the repeat. */
function countCommits({ platform }: SimulatedNetwork, { stage, fault, dies }: Case): number {
  if (stage !== 'commit') return 1;
  const isRecognized = platform.definition.commitRepeatsForMs > 0;
  const isFoundAbsent =
    fault === 'stall_before' || dies === 'before' || (fault === 'stall_late' && isRecognized);
  return isFoundAbsent ? 2 : 1;
}

/** The first two calls of a prepare, and every call of the other stages. */
function listCases(kind: NetworkKind): Case[] {
  const counts = { ...kind.calls, prepare: Math.min(kind.calls.prepare ?? 0, 2) };
  const stages = Object.entries(counts) as [Case['stage'], number][];
  const cases = stages.flatMap(([stage, calls]) =>
    Array.from({ length: calls }, (_, i) => i + 1).flatMap((call) =>
      listFaults(stage).map((fault) => ({ stage, call, ...fault })),
    ),
  );
  // A refresh has a lease of its own, and may take longer than a stall.
  const refreshes = stalls.map((fault) => ({ stage: 'refresh' as const, call: 1, fault }));
  return kind.hasRefresh ? [...cases, ...refreshes] : cases;
}

function listFaults(stage: Case['stage']): Omit<Case, 'stage' | 'call'>[] {
  // These calls only ask, so it doesn't matter when the network takes them.
  const isQuestion = stage === 'confirm' || stage === 'reconcile';
  const ownStalls = isQuestion ? (['stall_after'] as const) : stalls;
  return [
    ...ownStalls.flatMap((fault) => [false, true].map((areSilent) => ({ fault, areSilent }))),
    { dies: 'after' },
    ...(isQuestion ? [] : [{ dies: 'before' as const }, { fault: 'answer_lost' as const }]),
  ];
}
