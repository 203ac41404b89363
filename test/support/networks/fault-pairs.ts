// Two troubles in one target: an answer to its commit that is lost, and what comes while that is not cleared up.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { reopenResult } from '../../../schema/database/posts/changes.ts';
import { createTestDatabase, type TestDatabase } from '../rows/database.ts';
import { cancel } from './canceling.ts';
import { faults, type Fault } from './faults.ts';
import type { NetworkKind } from './network.ts';
import {
  advanceToEnd,
  dependenciesOf,
  impatientClock,
  listTargets,
  run,
  shortClock,
  writePost,
} from './posting.ts';
import { expectTruth } from './truth.ts';

/** The first look finds nothing after these: what was sent is on its way still, or was never taken. */
const firstFaults = ['taken_late', 'hang_before'] as const;
type FirstFault = (typeof firstFaults)[number];

/** Long enough to be told, so that somebody can cancel meanwhile. */
const pausingClock = {
  ...shortClock,
  unavailableDelaysMs: [200],
  reconcileDelaysMs: [0, 200],
};

export function describeFaultPairs(kind: NetworkKind): void {
  let database: TestDatabase;
  vi.setConfig({ maxConcurrency: 12 });
  beforeAll(async () => void (database = await createTestDatabase()));
  afterAll(async () => {
    vi.resetConfig();
    await database.drop();
  });

  describe.concurrent(`a target at ${kind.name}`, () => {
    test.each(listPairs(kind))(
      'ends in the truth when a commit is $first and every later one $second, and so does its retry',
      async ({ first, second }) => {
        await using network = await kind.start(database.db);
        network.switchboard.plans.push(
          { stage: 'commit', call: 1, times: 1, fault: first },
          { stage: 'commit', call: 2, times: Infinity, fault: second },
        );
        const dependencies = dependenciesOf(database.db, network, impatientClock);
        const post = await writePost(database.db, network);
        await advanceToEnd(dependencies, post.resultIds[0]!);
        const [row] = await expectTruth(dependencies, network, post);
        if (row!.status !== 'failed') return;

        network.switchboard.plans.length = 0;
        await database.db.transaction().execute((trx) => reopenResult(trx, row!));
        await advanceToEnd(dependencies, row!.id);
        const [retried] = await listTargets(database.db, post);
        const posts = await network.listPosts();
        expect(posts.length).toBeLessThanOrEqual(1);
        if (retried!.status === 'published')
          expect(posts).toMatchObject([{ id: retried!.external_id }]);
      },
    );

    test.each(firstFaults)(
      'that was told to be canceled is not public: %s, canceled wherever it waits',
      async (fault) => {
        await using network = await kind.start(database.db);
        network.switchboard.plans.push({ stage: 'commit', call: 1, times: 1, fault });
        const dependencies = dependenciesOf(database.db, network, pausingClock);
        const post = await writePost(database.db, network);
        const target = { resultId: post.resultIds[0]!, run };
        for (;;) {
          const { waitMs } = await advanceTarget(dependencies, target);
          if (waitMs === null) break;
          await cancel(database.db, post);
          await sleep(waitMs);
        }
        await expectTruth(dependencies, network, post);
      },
    );
  });
}

/** Where no look can tell, nothing is sent a second time. */
function listPairs({ resolution }: NetworkKind): { first: FirstFault; second: Fault }[] {
  if (resolution === 'none') return [];
  return firstFaults.flatMap((first) => faults.map((second) => ({ first, second })));
}
