// Restarts work whose workflow is gone, even after the loss of Temporal's whole database.
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { listOverdueChecks, restartCheck } from '../../schema/database/accounts/checks.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import { listWaitingFetches, restartFetch } from '../../schema/database/media/fetching.ts';
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
  claimSweep,
  type ComingPost,
} from '../../schema/database/dispatch/sweeping.ts';
import { deliverEventsWorkflowId } from '../../schema/workflows.ts';
import type { Running } from './poll-loop.ts';

interface SweeperDependencies {
  db: Db;
  notifier: Notifier;
  temporal: Client;
  everyMs: number;
  overdueMs: number;
  log: Logger;
}

/** Scheduled posts are checked this long before they are due, so that a new workflow starts on time. */
const aheadMs = 600_000;
const maxDescribing = 10;

/**
 * Where the next sweep starts. Each sweep starts where the last one ended, so that running work doesn't hide
 * lost work.
 */
interface Position {
  batchId: string;
  coming: ComingPost | null;
}

export function startSweeper(options: SweeperDependencies): Running {
  const { everyMs } = options;
  const log = options.log.child({ component: 'sweeper' });
  const dependencies = { ...options, log };
  let running = Promise.resolve();
  let position: Position = { batchId: '', coming: null };
  let isStopped = false;
  const timer = setInterval(
    () => {
      running = running
        .then(async () => {
          position = await sweep(dependencies, position, () => isStopped);
        })
        .catch((error: unknown) => log.warn({ err: error }, 'a sweep failed'));
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

/** Only one process sweeps at a time, at the configured interval. */
async function sweep(
  dependencies: SweeperDependencies,
  after: Position,
  isStopped: () => boolean,
): Promise<Position> {
  const { db, notifier, temporal, everyMs, overdueMs, log } = dependencies;
  if (!(await claimSweep(db, everyMs))) return after;
  const batchIds = await listOverdueBatches(db, overdueMs, after.batchId);
  for (const batchId of batchIds) {
    if (await isRunning(temporal, deliverEventsWorkflowId(batchId))) continue;
    await releaseBatch(db, notifier, batchId);
    log.warn({ batch_id: batchId }, 'a batch without a workflow is released');
  }
  // The process that resumed posts may have ended halfway.
  for await (const count of resumePosts(db, notifier)) {
    log.warn({ count }, 'posts of an ended pause are resumed');
    if (isStopped()) return after;
  }
  await restartLost(dependencies, await listOverduePosts(db, overdueMs));
  const coming = await restartComing(dependencies, after.coming, isStopped);
  for (const { id, workflow_id } of await listRunningReplays(db, overdueMs)) {
    if (await isRunning(temporal, workflow_id)) continue;
    if (!(await restartReplay(db, notifier, id, workflow_id))) continue;
    log.warn({ replay_id: id }, 'a replay without a workflow is restarted');
  }
  for (const { id, workflow_id } of await listWaitingFetches(db, overdueMs)) {
    if (await isRunning(temporal, workflow_id)) continue;
    if (!(await restartFetch(db, notifier, id, workflow_id))) continue;
    log.warn({ media_id: id }, 'a fetch of media without a workflow is restarted');
  }
  for (const { id, workflow_id } of await listOverdueChecks(db, overdueMs)) {
    if (await isRunning(temporal, workflow_id)) continue;
    if (!(await restartCheck(db, notifier, id, workflow_id))) continue;
    log.warn({ check_id: id }, 'a check without a workflow is restarted');
  }
  return { batchId: batchIds.length < maxPerSweep ? '' : batchIds.at(-1)!, coming };
}

/**
 * Checks one page of posts, or more pages if Temporal has lost workflows of these posts. Returns where the
 * next sweep starts.
 */
async function restartComing(
  dependencies: SweeperDependencies,
  after: ComingPost | null,
  isStopped: () => boolean,
): Promise<ComingPost | null> {
  const { db, overdueMs } = dependencies;
  for (;;) {
    const posts = await listComingPosts(db, { aheadMs, overdueMs, after });
    const lost = await restartLost(dependencies, posts);
    if (posts.length < maxPerSweep) return null;
    after = posts.at(-1)!;
    if (lost === 0 || isStopped()) return after;
  }
}

/** Restarts the posts whose workflow isn't running, and returns how many. */
async function restartLost(
  { db, notifier, temporal, log }: SweeperDependencies,
  posts: Pick<ComingPost, 'id' | 'workflow_id'>[],
): Promise<number> {
  let count = 0;
  for (let from = 0; from < posts.length; from += maxDescribing) {
    const group = posts.slice(from, from + maxDescribing);
    const states = await Promise.all(
      group.map(({ workflow_id }) => findState(temporal, workflow_id)),
    );
    for (const [i, { id, workflow_id }] of group.entries()) {
      // The post is open although its workflow completed, because Postgres was restored from a backup.
      const isRestored = states[i] === 'completed';
      if (states[i] === 'running') continue;
      if (!(await restartPost(db, notifier, id, workflow_id, { isRestored }))) continue;
      count++;
      const restored = 'a restored post is checked at its network';
      const lost = 'a post without a workflow is restarted';
      log.warn({ post_id: id }, isRestored ? restored : lost);
    }
  }
  return count;
}

async function isRunning(temporal: Client, workflowId: string): Promise<boolean> {
  return (await findState(temporal, workflowId)) === 'running';
}

/**
 * `lost`: Temporal doesn't know the workflow, or the workflow ended without completing, for example because an
 * operator terminated it.
 */
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
