// The writes of every post: many targets that begin, are published or end their posts share a statement.
import {
  beginPhases,
  setPublished,
  setPublishedTargets,
  type PhaseStart,
  type PublishedTarget,
} from '../../schema/database/posts/target-steps.ts';
import type { PublishPostInput } from '../../schema/workflows.ts';
import { createBatched, type WriteAll } from '../batched.ts';
import { withoutProject } from '../current-project.ts';
import {
  concludeFreePosts,
  concludePost,
  type ConcludeDependencies,
  type Concluded,
} from './conclude-post.ts';

export interface GroupedWrites {
  /** `startedMs`: time by `performance.now()` just before the database recorded the call as begun. */
  begin(start: PhaseStart): Promise<{ hasBegun: boolean; startedMs: number }>;
  publish(target: PublishedTarget): Promise<void>;
  /** Undefined: the run has ended already, or is not over. */
  conclude(input: PublishPostInput): Promise<Concluded | undefined>;
}

const maxTargets = 200;
/** Few, because the transaction holds the locks of all its posts. */
const maxPosts = 50;

export function createGroupedWrites(dependencies: ConcludeDependencies): GroupedWrites {
  const { db, notifier } = dependencies;

  /** The time starts once there is a connection, because waiting for one doesn't count. */
  const beginAll = (starts: PhaseStart[], { skipLocked }: { skipLocked: boolean }) =>
    db.connection().execute(async (connected) => {
      const startedMs = performance.now();
      const begun = await beginPhases(connected, notifier, starts, { skipLocked });
      return begun.map((end) => {
        return end === 'locked' ? end : { hasBegun: end, startedMs };
      });
    });

  return {
    begin: groupUnlessLocked(
      (starts) => beginAll(starts, { skipLocked: true }),
      async (start) => {
        const [begun] = await beginAll([start], { skipLocked: false });
        return begun as Exclude<typeof begun, 'locked' | undefined>;
      },
      maxTargets,
    ),
    publish: groupUnlessLocked(
      async (targets: PublishedTarget[]) => {
        const ends = await setPublishedTargets(db, notifier, targets, { skipLocked: true });
        return ends.map((end) => (end === 'locked' ? end : undefined));
      },
      ({ row, published, durationMs }) => setPublished(db, notifier, row, published, durationMs),
      maxTargets,
    ),
    conclude: groupUnlessLocked(
      (inputs) => concludeFreePosts(dependencies, inputs),
      (input) => concludePost(dependencies, input),
      maxPosts,
    ),
  };
}

/** A row that is locked is written alone, so that no other row waits for the lock. */
function groupUnlessLocked<Item, Result>(
  writeAll: WriteAll<Item, Result | 'locked'>,
  writeAlone: (item: Item) => Promise<Result>,
  maxItems: number,
): (item: Item) => Promise<Result> {
  const write = createBatched(writeAll, { maxItems });
  return async (item) => {
    // A group serves several projects.
    const result = await withoutProject(() => write(item));
    return result === 'locked' ? writeAlone(item) : result;
  };
}
