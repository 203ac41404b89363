// Tells Temporal what Postgres has decided: starts a workflow for each outbox row and each batch.
import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Logger } from 'pino';
import type { Db } from '../../schema/database/tables.ts';
import type { Listener } from '../../schema/database/live/listen.ts';
import {
  claimBatch,
  claimOutbox,
  deleteOutbox,
  type ClaimedBatch,
  type ClaimedRow,
} from '../../schema/database/dispatch/outbox.ts';
import { deliverEventsWorkflow, maxBatchSize } from '../../schema/workflows.ts';
import type { HeadStart } from '../delivering/eager-start.ts';
import { startRounds } from './poll-loop.ts';

export interface RelayDependencies {
  db: Db;
  listener: Listener;
  /** Shares its connection with the worker, so that a workflow may begin in this process at once. */
  temporal: Client;
  taskQueue: string;
  /** Webhooks of which no more is to be claimed now. */
  fullWebhooks?: () => string[];
  /** Whether workflows of posts that are started now would have to wait here. */
  isCrowded?: () => boolean;
  /** Begins rounds whose workflow begins in this process. */
  headStart?: Pick<HeadStart, 'prepare' | 'begin' | 'forget'>;
  log: Logger;
}

export interface Relay {
  stop(): Promise<void>;
}

const rowsAtOnce = 50;
/** Batches being started at a time; while these start, what comes meanwhile makes the next ones larger. */
const startsAtOnce = 2;
/** Deliveries of failing webhooks are in no hurry, and each workflow of theirs lasts for a whole retry schedule. */
const failingEveryMs = 500;
/** While the others come as fast as they are told. */
const busyFailingEveryMs = 2_000;
/** The SDK's own retries would hold a round for longer. */
const startWithinMs = 5_000;
/** gRPC's code for a request that will never be taken as it is. */
const invalidArgument = 3;

/** Deliveries have rounds of their own: neither they nor posts are told later for what the others need. */
export function startRelay(dependencies: RelayDependencies): Relay {
  const {
    db,
    listener,
    log,
    fullWebhooks = () => [],
    isCrowded = () => false,
    headStart,
  } = dependencies;
  let failingFromMs = 0;

  async function tellAll<Row extends ClaimedRow>(
    rows: Row[],
    tellOne: (row: Row) => Promise<Answer> = (row) => tell(dependencies, row),
  ): Promise<boolean> {
    const answers = await Promise.all(rows.map(tellOne));
    await deleteOutbox(
      db,
      rows.filter((_, i) => answers[i] === 'told' || answers[i] === 'begun').map((row) => row.id),
    );
    return !answers.includes('away');
  }

  async function tellBatches(
    claiming: Promise<ClaimedBatch[]>,
    tellOne?: (batch: ClaimedBatch) => Promise<Answer>,
  ): Promise<number | 'away'> {
    const batches = await claiming;
    if (!(await tellAll(batches, tellOne))) return 'away';
    return batches.reduce((sum, { size }) => sum + size, 0);
  }

  async function tellBatch(batch: ClaimedBatch): Promise<Answer> {
    headStart?.prepare(batch.batchId);
    const answer = await tell(dependencies, batch);
    if (answer === 'begun') headStart?.begin(batch.batchId);
    else headStart?.forget(batch.batchId);
    return answer;
  }

  async function claimFailing(isBusy: boolean): Promise<ClaimedBatch[]> {
    if (performance.now() < failingFromMs) return [];
    failingFromMs = performance.now() + (isBusy ? busyFailingEveryMs : failingEveryMs);
    const except = fullWebhooks();
    const batch = await claimBatch(db, { limit: maxBatchSize, isFailing: true, except });
    return batch ? [batch] : [];
  }

  const deliveries = startRounds({
    listener,
    channel: 'fanfare_deliveries',
    log,
    isHeldBack: () => fullWebhooks().length > 0,
    async round(isBusy) {
      // Side by side: neither is told later for what the other claims.
      const found = await Promise.all([
        tellBatches(claimBatches(db, fullWebhooks()), tellBatch),
        tellBatches(claimFailing(isBusy)),
      ]);
      return found.includes('away') ? 'away' : Number(found[0]) + Number(found[1]);
    },
  });
  const workflows = startRounds({
    listener,
    channel: 'fanfare_outbox',
    log,
    isHeldBack: isCrowded,
    async round() {
      if (isCrowded()) return 0;
      const rows = await claimOutbox(db, rowsAtOnce);
      return (await tellAll(rows)) ? rows.length : 'away';
    },
  });
  return {
    async stop() {
      await Promise.all([deliveries.stop(), workflows.stop()]);
    },
  };
}

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
 * `told`: Temporal knows the workflow, now or already; `begun`: its first task is in this process.
 * Otherwise the row stays and is told again; `away`: no other row would fare better now.
 */
type Answer = 'told' | 'begun' | 'refused' | 'away';

async function tell(
  { temporal, taskQueue, log }: RelayDependencies,
  row: ClaimedRow,
): Promise<Answer> {
  const delayMs = Math.ceil(row.delay_ms ?? 0);
  const timing: Partial<WorkflowStartOptions> =
    delayMs > 0 ? { startDelay: delayMs } : { requestEagerStart: true };
  try {
    const { eagerlyStarted } = await temporal.withDeadline(Date.now() + startWithinMs, () =>
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
    return eagerlyStarted ? 'begun' : 'told';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'told';
    log.warn({ err: error, workflowId: row.workflow_id }, 'Temporal did not take a workflow.');
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    return code === invalidArgument ? 'refused' : 'away';
  }
}
