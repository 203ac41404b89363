// Tells Temporal what Postgres has decided: starts a workflow for each outbox row and each batch.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Logger } from 'pino';
import type { Db, OutboxRow } from '../schema/database/database.ts';
import type { Listener } from '../schema/database/listen.ts';
import {
  claimBatch,
  claimOutbox,
  deleteOutbox,
  type ClaimedBatch,
} from '../schema/database/outbox.ts';
import { deliverEventsWorkflow, maxBatchSize } from '../schema/workflows.ts';

export interface RelayDependencies {
  db: Db;
  listener: Listener;
  /** Shares its connection with the worker, so that a workflow may begin in this process at once. */
  temporal: Client;
  taskQueue: string;
  /** Webhooks of which no more is to be claimed now. */
  fullWebhooks?: () => string[];
  log: Logger;
}

export interface Relay {
  stop(): Promise<void>;
}

const rowsAtOnce = 50;
/** Batches being started at a time; while these start, what comes meanwhile makes the next ones larger. */
const startsAtOnce = 2;
/** After a round: what it told of begins undisturbed … */
const quietMs = 10;
/** … and for each that it claimed: the more come, the longer the next ones are gathered. */
const gatherMs = 2;
const maxGatherMs = 100;
/** Deliveries of failing webhooks are in no hurry, and each workflow of theirs lasts for a whole ladder. */
const failingEveryMs = 500;
/** While the others come as fast as they are told. */
const busyFailingEveryMs = 2_000;
/** The SDK's own retries would hold a round for longer. */
const startWithinMs = 5_000;
/** While Temporal is away. */
const pauseMs = 1_000;
/** gRPC's code for a request that will never be taken as it is. */
const invalidArgument = 3;

export function startRelay(dependencies: RelayDependencies): Relay {
  const { db, listener, log, fullWebhooks = () => [] } = dependencies;
  let isWanted = false;
  let isStopped = false;
  let pausedUntilMs = 0;
  let failingFromMs = 0;
  let isGatheringLongest = false;
  let running: Promise<void> | undefined;

  /** How many were claimed, posts and deliveries. */
  async function round(): Promise<number> {
    // Side by side: none is told later for what the others claim.
    const claimed = await Promise.all([
      tellAll(claimBatches(db, fullWebhooks())),
      tellAll(claimFailing()),
      tellAll(claimOutbox(db, rowsAtOnce)),
    ]);
    return claimed.reduce((sum, count) => sum + count, 0);
  }

  async function tellAll(claiming: Promise<ClaimedRow[]>): Promise<number> {
    const rows = await claiming;
    const answers = await Promise.all(rows.map((row) => tell(dependencies, row)));
    await deleteOutbox(
      db,
      rows.filter((_, i) => answers[i] === 'told').map((row) => row.id),
    );
    if (answers.includes('away')) pausedUntilMs = Date.now() + pauseMs;
    return rows.reduce((sum, { size = 1 }) => sum + size, 0);
  }

  async function claimFailing(): Promise<ClaimedRow[]> {
    if (Date.now() < failingFromMs) return [];
    failingFromMs = Date.now() + (isGatheringLongest ? busyFailingEveryMs : failingEveryMs);
    const except = fullWebhooks();
    const batch = await claimBatch(db, { limit: maxBatchSize, isFailing: true, except });
    return batch ? [batch] : [];
  }

  const isPaused = () => Date.now() < pausedUntilMs;

  async function run(): Promise<void> {
    while (isWanted && !isStopped && !isPaused()) {
      isWanted = false;
      try {
        const claimed = await round();
        if (claimed === 0 && fullWebhooks().length === 0) continue;
        isWanted = true;
        const wishedMs = quietMs + claimed * gatherMs;
        isGatheringLongest = wishedMs >= maxGatherMs;
        await sleep(Math.min(wishedMs, maxGatherMs));
      } catch (error) {
        log.warn({ err: error }, 'The relay could not read the outbox.');
        pausedUntilMs = Date.now() + pauseMs;
      }
    }
  }

  /** The listener polls, so that a wake during a pause is made good after it. */
  function wake(): void {
    isWanted = true;
    if (running || isStopped || isPaused()) return;
    running = run().finally(() => (running = undefined));
  }

  const off = listener.on('fanfare_outbox', wake);
  wake();
  return {
    async stop() {
      off();
      isStopped = true;
      await running;
    },
  };
}

/** `size`: what counts as claimed; of a post, one. */
type ClaimedRow = OutboxRow & { size?: number };

/** More than one only while there are enough deliveries for full ones. */
async function claimBatches(db: Db, except: string[]): Promise<ClaimedBatch[]> {
  const batches: ClaimedBatch[] = [];
  for (let i = 0; i < startsAtOnce; i++) {
    const batch = await claimBatch(db, { limit: maxBatchSize, except });
    if (batch) batches.push(batch);
    if (!batch || batch.size < maxBatchSize) break;
  }
  return batches;
}

/**
 * `told`: Temporal knows the workflow, now or already. Otherwise the row stays and is told again;
 * `away`: no other row would fare better now.
 */
async function tell(
  { temporal, taskQueue, log }: RelayDependencies,
  row: OutboxRow,
): Promise<'told' | 'refused' | 'away'> {
  const delayMs = row.start_at ? row.start_at.getTime() - Date.now() : 0;
  const timing: Partial<WorkflowStartOptions> =
    delayMs > 0 ? { startDelay: delayMs } : { requestEagerStart: true };
  try {
    await temporal.withDeadline(Date.now() + startWithinMs, () =>
      temporal.workflow.start(row.workflow, {
        taskQueue,
        workflowId: row.workflow_id,
        args: [row.input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        workflowTaskTimeout: row.workflow === deliverEventsWorkflow ? '5s' : '10s',
        ...timing,
      }),
    );
    return 'told';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'told';
    log.warn({ err: error, workflowId: row.workflow_id }, 'Temporal did not take a workflow.');
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    return code === invalidArgument ? 'refused' : 'away';
  }
}
