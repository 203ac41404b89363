// The writes that every target makes. Targets that make one at about the same time share it.
import {
  beginPhase,
  beginPhases,
  setPublished,
  setPublishedTargets,
  type PhaseStart,
  type PublishedTarget,
} from '../../schema/database/posts/grouped-steps.ts';
import {
  setNextPhase,
  setNextPhases,
  type Continuation,
} from '../../schema/database/posts/next-phases.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { PublishPostInput } from '../../schema/workflows.ts';
import { createGroupedWrite, type WriteAll } from '../grouped-write.ts';
import { withoutProject } from '../current-project.ts';
import {
  concludeFreePosts,
  concludePost,
  type ConcludeDependencies,
  type Concluded,
} from './conclude-post.ts';

export interface GroupedWrites {
  /** `startedMs`: the time by `performance.now()` just before the database recorded the call as begun. */
  begin(start: PhaseStart): Promise<{ hasBegun: boolean; startedMs: number }>;
  publish(target: PublishedTarget): Promise<void>;
  /** False: another execution has changed the row. */
  continue(target: Continuation): Promise<boolean>;
  /**
   * `projectId`: undefined if the caller doesn't know it. Undefined: the run was concluded before, or some of its
   * targets are open.
   */
  conclude(input: PublishPostInput, projectId?: string): Promise<Concluded | undefined>;
}

interface RunToConclude {
  input: PublishPostInput;
  projectId: string;
}

const maxTargets = 50;
/** Few, because the transaction holds the locks of all its posts. */
const maxPosts = 10;

export function createGroupedWrites(dependencies: ConcludeDependencies): GroupedWrites {
  const { db, notifier } = dependencies;

  /** The time starts once there is a connection, because the wait for one doesn't count. */
  const timed = <T>(write: (connected: Db) => Promise<T>) =>
    db.connection().execute(async (connected) => {
      const startedMs = performance.now();
      return { startedMs, written: await write(connected) };
    });

  async function beginAll(starts: PhaseStart[]) {
    const { startedMs, written } = await timed((connected) =>
      beginPhases(connected, notifier, starts, { skipLocked: true }),
    );
    return written.map((begun) => (begun === 'locked' ? begun : { hasBegun: begun, startedMs }));
  }

  async function beginAlone({ row, phase, deadline }: PhaseStart) {
    const { startedMs, written } = await timed((connected) =>
      beginPhase(connected, notifier, row, phase, deadline),
    );
    return { hasBegun: written, startedMs };
  }

  async function publishAll(targets: PublishedTarget[]): Promise<(undefined | 'locked')[]> {
    const written = await setPublishedTargets(db, notifier, targets, { skipLocked: true });
    return written.map((outcome) => (outcome === 'locked' ? outcome : undefined));
  }

  const conclude = groupUnlessLocked(
    (runs: RunToConclude[]) =>
      concludeFreePosts(
        dependencies,
        runs.map(({ input }) => input),
      ),
    ({ input }) => concludePost(dependencies, input),
    { maxItems: maxPosts, ownerOf: ({ projectId }) => projectId },
  );

  return {
    begin: groupUnlessLocked(beginAll, beginAlone, {
      maxItems: maxTargets,
      ownerOf: ({ row }) => row.project_id,
    }),
    publish: groupUnlessLocked(publishAll, (target) => setPublished(db, notifier, target), {
      maxItems: maxTargets,
      ownerOf: ({ row }) => row.project_id,
    }),
    continue: groupUnlessLocked(
      (targets: Continuation[]) => setNextPhases(db, notifier, targets, { skipLocked: true }),
      ({ row, next, call }) => setNextPhase(db, notifier, row, next, call),
      { maxItems: maxTargets, ownerOf: ({ row }) => row.project_id },
    ),
    conclude: (input, projectId = '') => conclude({ input, projectId }),
  };
}

/** Writes a locked row alone, so that no other row waits for the lock. */
function groupUnlessLocked<Item, Result>(
  writeAll: WriteAll<Item, Result | 'locked'>,
  writeAlone: (item: Item) => Promise<Result>,
  options: { maxItems: number; ownerOf: (item: Item) => string },
): (item: Item) => Promise<Result> {
  const write = createGroupedWrite(writeAll, options);
  return async (item) => {
    // A group serves several projects.
    const result = await withoutProject(() => write(item));
    return result === 'locked' ? writeAlone(item) : result;
  };
}
