// A worker dies at any step of a group of posts, alone or beside another worker: each post is public once.
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { AdvanceDependencies } from '../../activities/publishing/dependencies.ts';
import { createPlatforms } from '../../activities/platforms/index.ts';
import type { Target } from '../../activities/platforms/platform.ts';
import type { TargetClock } from '../../schema/retry.ts';
import { forFile } from '../support/fixtures.ts';
import { expectConsistent } from '../support/networks/consistency.ts';
import { toKind } from '../support/networks/contract/kind.ts';
import { sandbox } from '../support/networks/contract/sandbox.ts';
import {
  createFailingWorker,
  createWorkerPool,
  type FailingWorker,
} from '../support/networks/failing-worker.ts';
import type { SimulatedNetwork } from '../support/networks/network.ts';
import { dependenciesOf, shortClock, writePost } from '../support/networks/posting.ts';
import { runGroup } from '../support/networks/run-post.ts';
import { useDatabase } from '../support/rows/database.ts';

const kind = toKind(sandbox);
/** The other worker soon takes over the calls of a dead one. */
const clock: TargetClock = {
  ...shortClock,
  reconcileDelaysMs: [0, 400, 600, 800],
  heartbeatMs: 150,
  lostAfterMs: 500,
};
const groupSize = 3;
const parallelRuns = 8;

const database = useDatabase();
const pool = forFile(
  () => createWorkerPool(database.url),
  (made) => made.end(),
);

interface Run {
  /** The steps of the first worker, in order. */
  steps: readonly string[];
  hasDied: boolean;
  /** The result IDs of calls that a worker made without having begun them. */
  notBegun: string[];
}

/** The first worker dies after the step with this name and number. */
interface DyingStep {
  name: string;
  step: number;
}

/** `isBeside`: another worker runs at the same time, not only after the death. */
async function publish(dyingStep?: DyingStep, { isBeside = false } = {}): Promise<Run> {
  await using network = await kind.start(database.db);
  const { switchboard } = network;
  const posts = await Promise.all(
    Array.from({ length: groupSize }, () => writePost(database.db, network)),
  );
  const postIds = posts.map(({ postId }) => postId);
  const workflowId = `posts/${postIds[0]}`;
  const owned = database.db.updateTable('posts').set({ workflow_id: workflowId });
  await owned.where('id', 'in', postIds).execute();

  const current = new AsyncLocalStorage<FailingWorker>();
  const notBegun: string[] = [];
  const advance = (worker: FailingWorker) => {
    const dependencies = watchCalls(dependenciesOf(worker.db, network, clock), network, notBegun);
    return current.run(worker, () => worker.run(() => runGroup(dependencies, workflowId, postIds)));
  };
  const interruption = dyingStep && ({ ...dyingStep, moment: 'after', failure: 'dies' } as const);
  let hasDied = false;
  const first = createFailingWorker({
    pool,
    ...(interruption && { interruption }),
    onInterrupt: async () => void (hasDied = true),
  });
  first.follow(switchboard);
  const follow = switchboard.onCall!;
  switchboard.onCall = async (...now) => {
    if (current.getStore() === first) await follow(...now);
  };
  const second = createFailingWorker({ pool });
  if (isBeside) await Promise.all([first, second].map(advance));
  else {
    await advance(first);
    await advance(second);
  }

  const dependencies = dependenciesOf(database.db, network, clock);
  for (const post of posts) {
    const [row] = await expectConsistent(dependencies, network, post, {
      areAttemptsComplete: false,
    });
    expect(row).toMatchObject({ status: 'published' });
  }
  expect(await network.listPosts()).toHaveLength(groupSize);
  return { steps: first.steps, hasDied, notBegun };
}

/** Adds to `notBegun` each call that these dependencies make without having begun it. */
function watchCalls(
  dependencies: AdvanceDependencies,
  { platform }: SimulatedNetwork,
  notBegun: string[],
): AdvanceDependencies {
  const begun = new Set<string>();
  const watch =
    <Outcome>(call: (target: Target, signal: AbortSignal) => Promise<Outcome>) =>
    (target: Target, signal: AbortSignal) => {
      if (!begun.delete(target.resultId)) notBegun.push(target.resultId);
      return call(target, signal);
    };
  const { writes } = dependencies;
  return {
    ...dependencies,
    platforms: createPlatforms([
      { ...platform, commit: watch(platform.commit), reconcile: watch(platform.reconcile!) },
    ]),
    writes: {
      ...writes,
      async begin(start) {
        const outcome = await writes.begin(start);
        if (outcome.hasBegun) begun.add(start.row.id);
        return outcome;
      },
    },
  };
}

/** Interrupts a run at each step in turn. Returns the names of the steps after which the first worker died. */
async function interruptEach(options: { isBeside: boolean }): Promise<Set<string>> {
  const { steps } = await publish();
  const left = steps.map((name, i) => {
    return { name, step: steps.slice(0, i + 1).filter((each) => each === name).length };
  });
  const deaths = new Set<string>();
  const next = async () => {
    for (let dyingStep = left.pop(); dyingStep; dyingStep = left.pop()) {
      const { hasDied, notBegun } = await publish(dyingStep, options);
      expect(notBegun).toEqual([]);
      if (hasDied) deaths.add(dyingStep.name);
    }
  };
  await Promise.all(Array.from({ length: parallelRuns }, next));
  return deaths;
}

test('each post of a group is published once when another worker takes over after any step', async () => {
  const deaths = await interruptEach({ isBeside: false });
  // The claim, the record of a call, the call itself, the record of its answer, and the end of the post.
  const steps = ['claim_runs', 'begin_phases', 'call of commit', 'set_published_targets', 'commit'];
  expect([...deaths]).toEqual(expect.arrayContaining(steps));
}, 60_000);

test('each post of a group is published once when one of its two workers dies at any step', async () => {
  const deaths = await interruptEach({ isBeside: true });
  // At the other steps, the first worker may be slower than the other.
  expect([...deaths]).toContain('claim_runs');
}, 60_000);
