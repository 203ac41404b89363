// Finds work whose workflow is gone, even with the whole of Temporal's database, and asks for it anew.
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/live/notifier.ts';
import { resumePosts } from '../../schema/database/dispatch/resuming.ts';
import {
  listComingPosts,
  listOverdueBatches,
  listOverduePosts,
  listRunningReplays,
  maxPerSweep,
  releaseBatch,
  restartPost,
  restartReplay,
  takeSweep,
  type ComingPost,
} from '../../schema/database/dispatch/sweeping.ts';
import { deliverEventsWorkflowId } from '../../schema/workflows.ts';

export interface SweeperDependencies {
  db: Db;
  notifier: Notifier;
  temporal: Client;
  everyMs: number;
  overdueMs: number;
  log: Logger;
}

export interface Sweeper {
  stop(): Promise<void>;
}

/** Scheduled posts are looked at so long before they are due: a new workflow then starts on time. */
const lookAheadMs = 600_000;
const describedAtOnce = 10;

/** Where the next sweep begins: work that runs must not hide what is lost. */
interface Place {
  batchId: string;
  coming: ComingPost | null;
}

export function startSweeper(dependencies: SweeperDependencies): Sweeper {
  const { everyMs, log } = dependencies;
  let running = Promise.resolve();
  let place: Place = { batchId: '', coming: null };
  let isStopped = false;
  const timer = setInterval(
    () => {
      running = running
        .then(async () => {
          place = await sweep(dependencies, place, () => isStopped);
        })
        .catch((error: unknown) => log.warn({ err: error }, 'The sweep failed.'));
    },
    Math.max(everyMs / 2, 250),
  );
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** One sweep of all processes at a time, and no more often than configured. */
async function sweep(
  dependencies: SweeperDependencies,
  after: Place,
  isStopped: () => boolean,
): Promise<Place> {
  const { db, notifier, temporal, everyMs, overdueMs, log } = dependencies;
  if (!(await takeSweep(db, everyMs))) return after;
  const batchIds = await listOverdueBatches(db, overdueMs, after.batchId);
  for (const batchId of batchIds) {
    if (await isRunning(temporal, deliverEventsWorkflowId(batchId))) continue;
    await releaseBatch(db, batchId);
    log.warn({ batchId }, 'A batch of deliveries had lost its workflow; it is started anew.');
  }
  // Whoever resumed may have ended half way.
  for await (const count of resumePosts(db)) {
    log.warn({ count }, 'Posts were held by a pause that is gone; they go on.');
    notifier.notify('fanfare_outbox');
    if (isStopped()) return after;
  }
  await restartLost(dependencies, await listOverduePosts(db, overdueMs));
  const coming = await restartComing(dependencies, after.coming, isStopped);
  for (const { id, workflow_id } of await listRunningReplays(db, overdueMs)) {
    if (await isRunning(temporal, workflow_id)) continue;
    if (!(await restartReplay(db, id, workflow_id))) continue;
    log.warn({ replayId: id }, 'A replay had lost its workflow; it is started anew.');
  }
  notifier.notify('fanfare_outbox');
  notifier.notify('fanfare_deliveries');
  return { batchId: batchIds.length < maxPerSweep ? '' : batchIds.at(-1)!, coming };
}

/** A page at most, unless Temporal has lost some of it. Returns where the next sweep begins. */
async function restartComing(
  dependencies: SweeperDependencies,
  after: ComingPost | null,
  isStopped: () => boolean,
): Promise<ComingPost | null> {
  const { db, notifier, overdueMs } = dependencies;
  for (;;) {
    const posts = await listComingPosts(db, { aheadMs: lookAheadMs, overdueMs, after });
    const lost = await restartLost(dependencies, posts);
    if (posts.length < maxPerSweep) return null;
    after = posts.at(-1)!;
    if (lost === 0 || isStopped()) return after;
    notifier.notify('fanfare_outbox');
  }
}

/** Of these posts those whose workflow does not run; returns how many. */
async function restartLost(
  { db, temporal, log }: SweeperDependencies,
  posts: Pick<ComingPost, 'id' | 'workflow_id'>[],
): Promise<number> {
  let count = 0;
  for (let from = 0; from < posts.length; from += describedAtOnce) {
    const group = posts.slice(from, from + describedAtOnce);
    const states = await Promise.all(
      group.map(({ workflow_id }) => findState(temporal, workflow_id)),
    );
    for (const [i, { id, workflow_id }] of group.entries()) {
      // What a workflow has completed is open in a row that is older than that.
      const isRestored = states[i] === 'completed';
      if (states[i] === 'running') continue;
      if (!(await restartPost(db, id, workflow_id, { isRestored }))) continue;
      count++;
      if (isRestored) {
        log.warn({ postId: id }, 'An open post has a completed workflow; its network is asked.');
      } else {
        log.warn({ postId: id }, 'A post had lost its workflow; it is started anew.');
      }
    }
  }
  return count;
}

async function isRunning(temporal: Client, workflowId: string): Promise<boolean> {
  return (await findState(temporal, workflowId)) === 'running';
}

/** `lost`: Temporal does not know it, or it ended otherwise, as by an operator's hand. */
async function findState(
  temporal: Client,
  workflowId: string | null,
): Promise<'running' | 'completed' | 'lost'> {
  if (workflowId === null) return 'lost';
  try {
    const { status } = await temporal.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING') return 'running';
    return status.name === 'COMPLETED' ? 'completed' : 'lost';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'lost';
    throw error;
  }
}
