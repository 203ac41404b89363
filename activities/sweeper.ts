// Finds work whose workflow is gone, even with the whole of Temporal's database, and asks for it anew.
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Db } from '../schema/database/database.ts';
import type { Doorbell } from '../schema/database/doorbell.ts';
import { resumePosts } from '../schema/database/resuming.ts';
import {
  listOverdueBatches,
  listOverduePosts,
  listRunningReplays,
  maxPerSweep,
  releaseBatch,
  restartPost,
  restartReplay,
  takeSweep,
} from '../schema/database/sweeping.ts';
import { deliverEventsWorkflowId } from '../schema/workflows.ts';

export interface SweeperDependencies {
  db: Db;
  doorbell: Doorbell;
  temporal: Client;
  everyMs: number;
  overdueMs: number;
  log: Logger;
}

export interface Sweeper {
  stop(): Promise<void>;
}

export function startSweeper(dependencies: SweeperDependencies): Sweeper {
  const { everyMs, log } = dependencies;
  let running = Promise.resolve();
  let lastBatchId = '';
  let isStopped = false;
  const timer = setInterval(
    () => {
      running = running
        .then(async () => {
          lastBatchId = await sweep(dependencies, lastBatchId, () => isStopped);
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

/**
 * One sweep of all processes at a time, and no more often than configured. Returns the batch that
 * the next one begins after: batches that are late but running must not hide the lost ones.
 */
async function sweep(
  dependencies: SweeperDependencies,
  after: string,
  isStopped: () => boolean,
): Promise<string> {
  const { db, doorbell, temporal, everyMs, overdueMs, log } = dependencies;
  if (!(await takeSweep(db, everyMs))) return after;
  const batchIds = await listOverdueBatches(db, overdueMs, after);
  for (const batchId of batchIds) {
    if (await isRunning(temporal, deliverEventsWorkflowId(batchId))) continue;
    await releaseBatch(db, batchId);
    log.warn({ batchId }, 'A batch of deliveries had lost its workflow; it is started anew.');
  }
  // Whoever resumed may have ended half way.
  for await (const count of resumePosts(db)) {
    log.warn({ count }, 'Posts were held by a pause that is gone; they go on.');
    doorbell.ring('fanfare_outbox');
    if (isStopped()) return after;
  }
  for (const { id, workflow_id } of await listOverduePosts(db, overdueMs)) {
    if (workflow_id !== null && (await isRunning(temporal, workflow_id))) continue;
    if (!(await restartPost(db, id, workflow_id))) continue;
    log.warn({ postId: id }, 'A post had lost its workflow; it is started anew.');
  }
  for (const { id, workflow_id } of await listRunningReplays(db, overdueMs)) {
    if (await isRunning(temporal, workflow_id)) continue;
    if (!(await restartReplay(db, id, workflow_id))) continue;
    log.warn({ replayId: id }, 'A replay had lost its workflow; it is started anew.');
  }
  doorbell.ring('fanfare_outbox');
  doorbell.ring('fanfare_deliveries');
  return batchIds.length < maxPerSweep ? '' : batchIds.at(-1)!;
}

async function isRunning(temporal: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await temporal.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
