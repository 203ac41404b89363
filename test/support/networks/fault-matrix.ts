// The matrix of one kind of network: every stage, every call of it, every fault, once and for good.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database.ts';
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

/** A refresh bears no access token. */
const faultsOfRefresh = faults.filter(
  (fault) => !['token_expired', 'token_revoked'].includes(fault),
);

export function describeFaults(createKind: (db: () => TestDatabase['db']) => NetworkKind): void {
  let database: TestDatabase;
  const kind = createKind(() => database.db);
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
        await using network = await kind.start();
        await plan(network, trouble);
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
        await using network = await kind.start();
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
  const stages = Object.entries({ ...kind.calls, refresh: 1 }) as [Stage, number][];
  return stages.flatMap(([stage, calls]) =>
    Array.from({ length: calls }, (_, i) => i + 1).flatMap((call) =>
      (stage === 'refresh' ? faultsOfRefresh : faults).flatMap((fault) =>
        [false, true].map((isLasting) => ({ stage, call, fault, isLasting })),
      ),
    ),
  );
}

/** What brings the stage about, and what then goes wrong in it. */
async function plan(network: SimulatedNetwork, { stage, call, fault, isLasting }: Trouble) {
  const { plans } = network.switchboard;
  if (stage === 'reconcile') plans.push(lost('commit', 'answer_lost'));
  if (stage === 'refresh') {
    const first = network.platform.prepare ? 'prepare' : 'commit';
    plans.push(lost(first, 'token_expired'));
  }
  plans.push({ stage, call, times: isLasting ? Infinity : 1, fault });
}

const lost = (stage: Stage, fault: Fault) => ({ stage, call: 1, times: 1, fault });

function listDisconnects(kind: NetworkKind) {
  const moments = ['before', 'after'] as const;
  const stages = Object.entries(kind.calls) as [Stage, number][];
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
