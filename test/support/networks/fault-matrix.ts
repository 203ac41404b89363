// Tests every fault in every call of every stage. The fault affects one call only, or all calls from that
// call on.
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Phase } from '../../../schema/posts/posts.ts';
import { useDatabase } from '../rows/database.ts';
import { findExpectedEnd, type Trouble } from './expected-end.ts';
import { faults, type Fault, type Stage } from './faults.ts';
import type { NetworkKind, SimulatedNetwork } from './network.ts';
import {
  advanceToEnd,
  dependenciesOf,
  disconnect,
  impatientClock,
  shortClock,
  writePost,
} from './posting.ts';
import { expectConsistent } from './consistency.ts';

const allStages = ['refresh', 'prepare', 'commit', 'confirm', 'reconcile'] as const;

export function describeFaults(
  kind: NetworkKind,
  stages: readonly Trouble['stage'][] = allStages,
): void {
  const database = useDatabase();
  vi.setConfig({ maxConcurrency: 12 });
  afterAll(() => vi.resetConfig());

  describe.concurrent(`a target at ${kind.name}`, () => {
    test.each(listTroubles(kind).filter(({ stage }) => stages.includes(stage)))(
      'ends as expected: $stage, call $call, $fault, lasting: $isLasting',
      async (trouble) => {
        await using network = await kind.start(database.db);
        plan(kind, network, trouble);
        const clock = trouble.isLasting ? impatientClock : shortClock;
        const dependencies = dependenciesOf(database.db, network, clock);
        const post = await writePost(database.db, network);
        await advanceToEnd(dependencies, post.resultIds[0]!);
        const [row] = await expectConsistent(dependencies, network, post);
        const { status, error_code, failure_stage } = row!;
        const ended = {
          status,
          ...(status === 'failed' && { errorCode: error_code, stage: failure_stage }),
          postCount: (await network.listPosts()).length,
        };
        expect(ended).toEqual(findExpectedEnd(kind, trouble));
        // Proves that the fault occurred.
        expect(network.switchboard.count(trouble.stage)).toBeGreaterThanOrEqual(trouble.call);
      },
    );

    test.each(listDisconnects(kind).filter(({ stage }) => stages.includes(stage)))(
      'ends as expected when its account is disconnected $moment $stage, call $call',
      async ({ stage, call, moment, isLost }) => {
        await using network = await kind.start(database.db);
        const { switchboard } = network;
        if (isLost) switchboard.plans.push(lostCommit(kind));
        const dependencies = dependenciesOf(database.db, network);
        const post = await writePost(database.db, network);
        switchboard.onCall = async (...now) => {
          if (String(now) === String([moment, stage, call])) {
            await disconnect(database.db, post.accountId);
          }
        };
        await advanceToEnd(dependencies, post.resultIds[0]!);
        const [row] = await expectConsistent(dependencies, network, post);
        const { length } = await network.listPosts();
        const code = length === 0 ? 'account_disconnected' : 'outcome_unknown';
        if (row!.status === 'failed') expect(row!.error_code).toBe(code);
        // If the last call is still in flight, its answer settles the outcome. One login serves all calls of a check.
        const isLastCall = isLost || call === kind.calls[stage];
        const settles = isLost
          ? ['reconcile']
          : ['confirm', ...(kind.calls.confirm ? [] : ['commit'])];
        const isSettled = isLastCall && settles.includes(stage);
        expect(row!.status).toBe(isSettled ? 'published' : 'failed');
      },
    );
  });
}

function listTroubles(kind: NetworkKind): Trouble[] {
  const counts = { ...kind.calls, ...(kind.hasRefresh && { refresh: 1 }) };
  const stages = Object.entries(counts) as [Trouble['stage'], number][];
  return stages.flatMap(([stage, calls]) =>
    Array.from({ length: calls }, (_, i) => i + 1).flatMap((call) =>
      listFaults(kind, stage).flatMap((fault) =>
        [false, true].map((isLasting) => ({ stage, call, fault, isLasting })),
      ),
    ),
  );
}

function listFaults(kind: NetworkKind, stage: Trouble['stage']): Fault[] {
  const bearsToken = stage !== 'refresh' && !kind.publicStages?.includes(stage);
  return faults.filter((fault) => {
    if (fault === 'token_expired') return bearsToken && kind.hasRefresh;
    return fault !== 'token_revoked' || bearsToken;
  });
}

function plan(kind: NetworkKind, network: SimulatedNetwork, trouble: Trouble): void {
  const { stage, call, fault, isLasting } = trouble;
  planWayTo(stage, kind, network);
  network.switchboard.plans.push({ stage, call, times: isLasting ? Infinity : 1, fault });
}

/** If the stage is reached only after a fault, plans that earlier fault. */
export function planWayTo(
  stage: Trouble['stage'],
  kind: NetworkKind,
  { switchboard: { plans } }: SimulatedNetwork,
): void {
  if (stage === 'reconcile') plans.push(lostCommit(kind));
  if (stage === 'refresh') {
    const first = kind.calls.prepare ? 'prepare' : 'commit';
    plans.push(once(first, 1, 'token_expired'));
  }
}

const once = (stage: Stage, call: number, fault: Fault) => ({ stage, call, times: 1, fault });

/** The answer to the call that publishes is lost. */
export const lostCommit = ({ publishingCall = 1 }: NetworkKind) =>
  once('commit', publishingCall, 'answer_lost');

function listDisconnects(kind: NetworkKind) {
  const moments = ['before', 'after'] as const;
  const stages = Object.entries(kind.calls) as [Phase, number][];
  return stages.flatMap(([stage, calls]) =>
    Array.from({ length: calls }, (_, i) => i + 1).flatMap((call) =>
      moments.flatMap((moment) => {
        const isLost =
          stage === 'reconcile' ? [true] : stage === 'commit' ? [false, true] : [false];
        return isLost.map((isLost) => ({ stage, call, moment, isLost }));
      }),
    ),
  );
}
