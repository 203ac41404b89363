// Tells Temporal what Postgres has decided: starts a workflow for each outbox row and each batch.
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
import { startRounds } from './rounds.ts';

export interface RelayDependencies {
  db: Db;
  listener: Listener;
  /** Shares its connection with the worker, so that a workflow may begin in this process at once. */
  temporal: Client;
  taskQueue: string;
  /** Webhooks of which no more is to be claimed now. */
  fullWebhooks?: () => string[];
  /** Called with each batch before Temporal is told of it. */
  onBatch?: (batchId: string) => void;
  log: Logger;
}

export interface Relay {
  stop(): Promise<void>;
}

const rowsAtOnce = 50;
/** Batches being started at a time; while these start, what comes meanwhile makes the next ones larger. */
const startsAtOnce = 2;
/** Deliveries of failing webhooks are in no hurry, and each workflow of theirs lasts for a whole ladder. */
const failingEveryMs = 500;
/** While the others come as fast as they are told. */
const busyFailingEveryMs = 2_000;
/** The SDK's own retries would hold a round for longer. */
const startWithinMs = 5_000;
/** gRPC's code for a request that will never be taken as it is. */
const invalidArgument = 3;

/** Deliveries have rounds of their own: neither they nor posts are told later for what the others need. */
export function startRelay(dependencies: RelayDependencies): Relay {
  const { db, listener, log, fullWebhooks = () => [], onBatch = () => undefined } = dependencies;
  let failingFromMs = 0;

  async function tellAll(claiming: Promise<ClaimedRow[]>): Promise<number | 'away'> {
    const rows = await claiming;
    for (const { batchId } of rows) if (batchId !== undefined) onBatch(batchId);
    const answers = await Promise.all(rows.map((row) => tell(dependencies, row)));
    await deleteOutbox(
      db,
      rows.filter((_, i) => answers[i] === 'told').map((row) => row.id),
    );
    if (answers.includes('away')) return 'away';
    return rows.reduce((sum, { size = 1 }) => sum + size, 0);
  }

  async function claimFailing(isBusy: boolean): Promise<ClaimedRow[]> {
    if (Date.now() < failingFromMs) return [];
    failingFromMs = Date.now() + (isBusy ? busyFailingEveryMs : failingEveryMs);
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
      const [told, failing] = await Promise.all([
        tellAll(claimBatches(db, fullWebhooks())),
        tellAll(claimFailing(isBusy)),
      ]);
      return told === 'away' || failing === 'away' ? 'away' : told + failing;
    },
  });
  const workflows = startRounds({
    listener,
    channel: 'fanfare_outbox',
    log,
    round: () => tellAll(claimOutbox(db, rowsAtOnce)),
  });
  return {
    async stop() {
      await Promise.all([deliveries.stop(), workflows.stop()]);
    },
  };
}

/** `size`: what counts as claimed; of a post, one. */
type ClaimedRow = OutboxRow & Partial<Pick<ClaimedBatch, 'size' | 'batchId'>>;

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
