// Restarts work whose workflow is gone, even after the loss of Temporal's whole database. Also moves posts after
// their zones have changed.
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { listOverdueChecks, restartCheck } from '../../schema/database/accounts/checks.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import { listWaitingFetches, restartFetch } from '../../schema/database/media/fetching.ts';
import { restartFollowUps } from '../../schema/database/posts/after-publishing/follow-ups.ts';
import {
  listOverdueChanges,
  restartChange,
} from '../../schema/database/posts/after-publishing/result-changes.ts';
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
import { followZoneData } from './zone-changes.ts';

interface SweeperDependencies {
  db: Db;
  notifier: Notifier;
  temporal: Client;
  everyMs: number;
  overdueMs: number;
  config: { previewEvents: boolean };
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
    if ((await findState(temporal, deliverEventsWorkflowId(batchId))) === 'running') continue;
    await releaseBatch(db, notifier, batchId);
    log.warn({ batch_id: batchId }, 'a batch without a workflow is released');
  }
  // The process that resumed posts may have ended halfway.
  for await (const count of resumePosts(db, notifier)) {
    log.warn({ count }, 'posts of an ended pause are resumed');
    if (isStopped()) return after;
  }
  await restartLost(dependencies, await listOverduePosts(db, overdueMs));
  for (const work of restartable) await restartEach(dependencies, work);
  const followed = await restartFollowUps(db, notifier, overdueMs);
  if (followed.length > 0) log.warn({ result_ids: followed }, 'late follow-ups are restarted');
  await followZoneData(dependencies, isStopped);
  return batchIds.length < maxPerSweep ? '' : batchIds.at(-1)!;
}

/** Work whose row names its workflow. */
interface Restartable {
  /** Name of the row's ID in log lines. */
  idName: string;
  title: string;
  /** Rows without progress for `overdueMs`. */
  list(db: Db, overdueMs: number): Promise<{ id: string; workflow_id: string }[]>;
  /** False: the work has ended, or has another workflow by now. */
  restart(db: Db, notifier: Notifier, id: string, lostWorkflowId: string): Promise<boolean>;
}

const restartable: readonly Restartable[] = [
  { idName: 'replay_id', title: 'a replay', list: listRunningReplays, restart: restartReplay },
  {
    idName: 'media_id',
    title: 'a fetch of media',
    list: listWaitingFetches,
    restart: restartFetch,
  },
  { idName: 'check_id', title: 'a check', list: listOverdueChecks, restart: restartCheck },
  {
    idName: 'change_id',
    title: 'a change of a result',
    list: listOverdueChanges,
    restart: restartChange,
  },
];

async function restartEach(
  { db, notifier, temporal, overdueMs, log }: SweeperDependencies,
  { idName, title, list, restart }: Restartable,
): Promise<void> {
  for (const { id, workflow_id } of await list(db, overdueMs)) {
    if ((await findState(temporal, workflow_id)) === 'running') continue;
    if (!(await restart(db, notifier, id, workflow_id))) continue;
    log.warn({ [idName]: id }, `${title} without a workflow is restarted`);
  }
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
