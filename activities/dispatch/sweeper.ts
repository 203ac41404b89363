// Restarts work whose workflow is gone, even after the loss of Temporal's whole database.
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { listOverdueChecks, restartCheck } from '../../schema/database/accounts/checks.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import { listWaitingFetches, restartFetch } from '../../schema/database/media/fetching.ts';
import { restartFollowUps } from '../../schema/database/posts/follow-ups.ts';
import { listOverdueChanges, restartChange } from '../../schema/database/posts/result-changes.ts';
import { resumePosts } from '../../schema/database/dispatch/resuming.ts';
import {
  listOverdueBatches,
  listOverduePosts,
  listRunningReplays,
  maxPerSweep,
  releaseBatch,
  restartPost,
  restartReplay,
  claimSweep,
} from '../../schema/database/dispatch/sweeping.ts';
import { deliverEventsWorkflowId, type PublishPostsResult } from '../../schema/workflows.ts';
import type { Running } from './poll-loop.ts';

interface SweeperDependencies {
  db: Db;
  notifier: Notifier;
  temporal: Client;
  everyMs: number;
  overdueMs: number;
  log: Logger;
}

const maxDescribing = 10;

export function startSweeper(options: SweeperDependencies): Running {
  const { everyMs } = options;
  const log = options.log.child({ component: 'sweeper' });
  const dependencies = { ...options, log };
  let running = Promise.resolve();
  // Each sweep starts where the last one ended, so that running batches don't hide lost batches.
  let afterBatchId = '';
  let isStopped = false;
  const timer = setInterval(
    () => {
      running = running
        .then(async () => {
          afterBatchId = await sweep(dependencies, afterBatchId, () => isStopped);
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

/**
 * Only one process sweeps at a time, at the configured interval. Returns the ID of the batch after which the
 * next sweep starts.
 */
async function sweep(
  dependencies: SweeperDependencies,
  after: string,
  isStopped: () => boolean,
): Promise<string> {
  const { db, notifier, temporal, everyMs, overdueMs, log } = dependencies;
  if (!(await claimSweep(db, everyMs))) return after;
  const batchIds = await listOverdueBatches(db, overdueMs, after);
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
  for (const { id, workflow_id } of await listOverdueChanges(db, overdueMs)) {
    if ((await findState(temporal, workflow_id)) === 'running') continue;
    if (!(await restartChange(db, notifier, id, workflow_id))) continue;
    log.warn({ change_id: id }, 'a change of a result without a workflow is restarted');
  }
  const followed = await restartFollowUps(db, notifier, overdueMs);
  if (followed.length > 0) log.warn({ result_ids: followed }, 'late follow-ups are restarted');
  return batchIds.length < maxPerSweep ? '' : batchIds.at(-1)!;
}

/** Restarts the posts whose workflow isn't running. Asks Temporal once for each workflow. */
async function restartLost(
  { db, notifier, temporal, log }: SweeperDependencies,
  posts: { id: string; workflow_id: string | null }[],
): Promise<void> {
  const groups = [...Map.groupBy(posts, ({ workflow_id }) => workflow_id)];
  for (let from = 0; from < groups.length; from += maxDescribing) {
    await Promise.all(
      groups.slice(from, from + maxDescribing).map(async ([workflowId, group]) => {
        const state = await findState(temporal, workflowId);
        if (state === 'running') return;
        const isEnded =
          state === 'completed' ? await readEnded(temporal, workflowId!) : () => false;
        for (const { id } of group) {
          // The post is open although its workflow ended it, because Postgres was restored from a backup.
          const isRestored = isEnded(id);
          if (!(await restartPost(db, notifier, id, workflowId, { isRestored }))) continue;
          const restored = 'a restored post is checked at its network';
          const lost = 'a post without a workflow is restarted';
          log.warn({ post_id: id }, isRestored ? restored : lost);
        }
      }),
    );
  }
}

/** Returns whether the completed workflow has ended a post. A workflow of one post has no result. */
async function readEnded(
  temporal: Client,
  workflowId: string,
): Promise<(postId: string) => boolean> {
  const result: unknown = await temporal.workflow.getHandle(workflowId).result();
  const ended = (result as PublishPostsResult | undefined)?.ended;
  return (postId) => ended?.includes(postId) ?? true;
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
