// The matrix of one kind of network: every stage, every call of it, every fault, once and for good.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Phase } from '../../../schema/posts/posts.ts';
import { createTestDatabase, type TestDatabase } from '../rows/database.ts';
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
import { expectTruth } from './truth.ts';

export function describeFaults(kind: NetworkKind): void {
  let database: TestDatabase;
  vi.setConfig({ maxConcurrency: 12 });
  beforeAll(async () => void (database = await createTestDatabase()));
  afterAll(async () => {
    vi.resetConfig();
    await database.drop();
  });

  describe.concurrent(`a target at ${kind.name}`, () => {
    test.each(listTroubles(kind))(
      'ends in the truth: $stage, call $call, $fault, lasting: $isLasting',
      async (trouble) => {
        await using network = await kind.start(database.db);
        plan(kind, network, trouble);
        const clock = trouble.isLasting ? impatientClock : shortClock;
        const dependencies = dependenciesOf(database.db, network, clock);
        const post = await writePost(database.db, network);
        await advanceToEnd(dependencies, post.resultIds[0]!);
        const [row] = await expectTruth(dependencies, network, post);
        const { status, error_code, failure_stage } = row!;
        const ended = {
          status,
          ...(status === 'failed' && { errorCode: error_code, stage: failure_stage }),
          postCount: (await network.listPosts()).length,
        };
        expect(ended).toEqual(findExpectedEnd(kind, trouble));
        // The fault was there at all.
        expect(network.switchboard.count(trouble.stage)).toBeGreaterThanOrEqual(trouble.call);
      },
    );

    test.each(listDisconnects(kind))(
      'ends in the truth when its account goes $moment $stage, call $call',
      async ({ stage, call, moment, isLost }) => {
        await using network = await kind.start(database.db);
        const { switchboard } = network;
        if (isLost) switchboard.plans.push(lost('commit', 'answer_lost'));
        const dependencies = dependenciesOf(database.db, network);
        const post = await writePost(database.db, network);
        switchboard.onCall = async (...now) => {
          if (String(now) === String([moment, stage, call])) {
            await disconnect(database.db, post.accountId);
          }
        };
        await advanceToEnd(dependencies, post.resultIds[0]!);
        const [row] = await expectTruth(dependencies, network, post);
        const { length } = await network.listPosts();
        const code = length === 0 ? 'account_disconnected' : 'outcome_unknown';
        if (row!.status === 'failed') expect(row!.error_code).toBe(code);
        // Its last call was under way and tells all.
        const isLastCall = stage === 'commit' ? !kind.calls.confirm : call === kind.calls[stage];
        const isTold = isLost ? stage === 'reconcile' : isLastCall && stage !== 'prepare';
        expect(row!.status).toBe(isTold ? 'published' : 'failed');
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

/** What brings the stage about, and what then goes wrong in it. */
function plan(
  { calls }: NetworkKind,
  network: SimulatedNetwork,
  { stage, call, fault, isLasting }: Trouble,
): void {
  const { plans } = network.switchboard;
  if (stage === 'reconcile') plans.push(lost('commit', 'answer_lost'));
  if (stage === 'refresh') {
    const first = calls.prepare ? 'prepare' : 'commit';
    plans.push(lost(first, 'token_expired'));
  }
  plans.push({ stage, call, times: isLasting ? Infinity : 1, fault });
}

const lost = (stage: Stage, fault: Fault) => ({ stage, call: 1, times: 1, fault });

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
