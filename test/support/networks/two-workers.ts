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
/**
 * The checks outlast a stall. The other worker takes a call over before it times out, unless the call's owner
 * sends heartbeats.
 */
const clock: TargetClock = {
  ...shortClock,
  // A worker on a busy machine counts as stalled, so it tries again.
  unavailableDelaysMs: Array<number>(20).fill(100),
  reconcileDelaysMs: [0, 400, 600, 800],
  heartbeatMs: 150,
  lostAfterMs: 500,
};

const parallelRuns = 12;

interface Case {
  stage: Trouble['stage'];
  call: number;
  fault?: Fault;
  /** When the worker of the call dies. Absent: the worker doesn't die. */
  dies?: 'before' | 'after';
  /** The heartbeats of both workers are lost. */
  areSilent?: boolean;
}

export function describeTwoWorkers(kind: NetworkKind): void {
  const database = useDatabase();
  const pool = forFile(
    () => createWorkerPool(database.url),
    (made) => made.end(),
  );
  vi.setConfig({ maxConcurrency: parallelRuns });
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
        // Proves that the fault occurred.
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

  /**
   * Returns the steps of the first worker. `dyingStep`: the step after which the first worker dies, while
   * another worker runs.
   */
  async function publish(dyingStep?: number): Promise<readonly string[]> {
    await using network = await kind.start(database.db);
    const { switchboard } = network;
    const post = await writePost(database.db, network);
    const current = new AsyncLocalStorage<FailingWorker>();
    const advance = (worker: FailingWorker) =>
      current.run(worker, () =>
        worker.run(() =>
          advanceToEnd(dependenciesOf(worker.db, network, clock), post.resultIds[0]!),
        ),
      );
    const interruption =
      dyingStep && ({ step: dyingStep, moment: 'after', failure: 'dies' } as const);
    const first = createFailingWorker({ pool, ...(interruption && { interruption }) });
    first.follow(switchboard);
    const follow = switchboard.onCall!;
    switchboard.onCall = async (...now) => {
      if (current.getStore() === first) await follow(...now);
    };
    const others = interruption ? [createFailingWorker({ pool })] : [];
    await Promise.all([first, ...others].map(advance));
    const dependencies = dependenciesOf(database.db, network, clock);
    const areAttemptsComplete = !interruption;
    const [row] = await expectConsistent(dependencies, network, post, { areAttemptsComplete });
    expect(row).toMatchObject({ status: 'published' });
    return first.steps;
  }

  test(`a target at ${kind.name} is published once when one of its two workers dies at any step`, async () => {
    const { length } = await publish();
    expect(length).toBeGreaterThan(10);
    const left = Array.from({ length }, (_, i) => i + 1);
    let deaths = 0;
    const next = async () => {
      for (let step = left.pop(); step; step = left.pop()) {
        if ((await publish(step)).length === step) deaths++;
      }
    };
    await Promise.all(Array.from({ length: parallelRuns }, next));
    // In the other runs, the first worker was slower than the other, so it did not reach its dying step.
    expect(deaths).toBeGreaterThan(length / 4);
  });
}

const withoutHeartbeats = (dependencies: AdvanceDependencies): AdvanceDependencies => ({
  ...dependencies,
  heartbeats: {
    keep: () => () => undefined,
    settled: () => Promise.resolve(),
    releaseAll: () => Promise.resolve(),
  },
});

/** A commit is repeated only if the network didn't carry it out, or recognizes the repeat. */
function countCommits({ platform }: SimulatedNetwork, { stage, fault, dies }: Case): number {
  if (stage !== 'commit') return 1;
  const isRecognized = platform.definition.commitRepeatsForMs > 0;
  const isFoundAbsent =
    fault === 'stall_before' || dies === 'before' || (fault === 'stall_late' && isRecognized);
  return isFoundAbsent ? 2 : 1;
}

type CaseTrouble = Omit<Case, 'stage' | 'call'>;

function listCases({ calls, hasRefresh }: NetworkKind): Case[] {
  const at = (stage: Case['stage'], call: number, troubles: CaseTrouble[]): Case[] =>
    troubles.map((trouble) => ({ stage, call, ...trouble }));
  const silently = (fault: Fault): CaseTrouble => ({ fault, areSilent: true });
  const ofStep = [{ fault: 'stall_late' }, silently('stall_late'), { dies: 'after' }] as const;
  const cases = [
    ...at('prepare', 1, [...ofStep]),
    ...at('prepare', 2, [...ofStep]),
    ...at('commit', 1, [
      ...stalls.flatMap((fault) => [{ fault }, silently(fault)]),
      { fault: 'answer_lost' },
      { dies: 'before' },
      { dies: 'after' },
    ]),
    // The next two stages only ask, so it doesn't matter when the network carries out the call.
    ...at('confirm', 1, [silently('stall_after'), { dies: 'after' }]),
    ...at('reconcile', 1, [{ fault: 'stall_after' }, silently('stall_after'), { dies: 'after' }]),
    // A refresh has its own lease, and may take longer than a stall.
    ...at('refresh', 1, [{ fault: 'stall_before' }, { fault: 'stall_late' }]),
  ];
  return cases.filter(({ stage }) => (stage === 'refresh' ? hasRefresh : calls[stage]));
}
