// Two faults in one target: the answer to its commit is lost, and a second fault or a cancellation follows.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { reopenResult } from '../../../schema/database/posts/changes.ts';
import { useDatabase } from '../rows/database.ts';
import { faults, type Fault } from './faults.ts';
import type { NetworkKind } from './network.ts';
import {
  advanceToEnd,
  cancel,
  dependenciesOf,
  impatientClock,
  listTargets,
  run,
  shortClock,
  writePost,
} from './posting.ts';
import { expectConsistent } from './consistency.ts';
import { inQuietTransaction } from '../rows/quiet-transaction.ts';

/**
 * After these faults, the first check finds nothing, because the request is still on its way or was never
 * accepted.
 */
const firstFaults = ['taken_late', 'hang_before'] as const;
type FirstFault = (typeof firstFaults)[number];

/** A clock whose waits are long enough that a test can cancel meanwhile. */
const pausingClock = {
  ...shortClock,
  unavailableDelaysMs: [200],
  reconcileDelaysMs: [0, 200],
};

export function describeFaultPairs(kind: NetworkKind): void {
  const database = useDatabase();
  const { publishingCall = 1 } = kind;
  vi.setConfig({ maxConcurrency: 12 });
  afterAll(() => vi.resetConfig());

  describe.concurrent(`a target at ${kind.name}`, () => {
    test.each(listPairs(kind))(
      'ends as expected when a commit is $first and every later one $second, and so does its retry',
      async ({ first, second }) => {
        await using network = await kind.start(database.db);
        network.switchboard.plans.push(
          { stage: 'commit', call: publishingCall, times: 1, fault: first },
          { stage: 'commit', call: publishingCall + 1, times: Infinity, fault: second },
        );
        const dependencies = dependenciesOf(database.db, network, impatientClock);
        const post = await writePost(database.db, network);
        await advanceToEnd(dependencies, post.resultIds[0]!);
        const [row] = await expectConsistent(dependencies, network, post);
        if (row!.status !== 'failed') return;

        network.switchboard.plans.length = 0;
        await inQuietTransaction(database.db, (trx) => reopenResult(trx, row!.project_id, row!));
        await advanceToEnd(dependencies, row!.id);
        const [retried] = await listTargets(database.db, post);
        const posts = await network.listPosts();
        expect(posts.length).toBeLessThanOrEqual(1);
        if (retried!.status === 'published')
          expect(posts).toMatchObject([{ id: retried!.external_id }]);
      },
    );

    test.each(firstFaults)(
      'is not public once it is canceled: %s, canceled at every wait',
      async (fault) => {
        await using network = await kind.start(database.db);
        network.switchboard.plans.push({ stage: 'commit', call: publishingCall, times: 1, fault });
        const dependencies = dependenciesOf(database.db, network, pausingClock);
        const post = await writePost(database.db, network);
        const target = { resultId: post.resultIds[0]!, run };
        for (;;) {
          const { waitMs } = await advanceTarget(dependencies, target);
          if (waitMs === null) break;
          await cancel(database.db, post);
          await sleep(waitMs);
        }
        await expectConsistent(dependencies, network, post);
      },
    );
  });
}

/** If no check can find the post, nothing is sent a second time. */
function listPairs({ resolution }: NetworkKind): { first: FirstFault; second: Fault }[] {
  if (resolution === 'none') return [];
  return firstFaults.flatMap((first) => faults.map((second) => ({ first, second })));
}
