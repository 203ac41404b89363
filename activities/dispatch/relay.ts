// Starts a workflow in Temporal for each outbox row and each batch of deliveries in Postgres.
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
} from '../../schema/database/outbox.ts';
import { deliverEventsWorkflow, maxBatchSize } from '../../schema/workflows.ts';
import type { EagerStart } from '../delivering/eager-start.ts';
import { startPollLoop, type Running } from './poll-loop.ts';

export interface RelayDependencies {
  db: Db;
  listener: Listener;
  /** Shares its connection with the worker, so that a workflow can begin in this process at once. */
  temporal: Client;
  taskQueue: string;
  /** Whether Temporal chooses the build that runs a workflow, which may be another build than this process. */
  isVersioned?: boolean;
  /** Webhooks whose deliveries must not be claimed now. */
  fullWebhooks?: () => string[];
  /** Whether new workflows of posts would have to wait in this process. */
  isCrowded?: () => boolean;
  /** Starts the first run of a batch whose workflow starts in this process. */
  eagerStart?: Pick<EagerStart, 'prepare' | 'begin' | 'forget'>;
  log: Logger;
}

const maxRows = 50;
/** Batches per poll. While these batches start, more deliveries gather for the next batches. */
const maxBatches = 2;
/** Deliveries of failing webhooks can wait, and each of their workflows lasts for a whole retry schedule. */
const failingEveryMs = 500;
/** The interval for failing webhooks while the other deliveries keep the relay busy. */
const busyFailingEveryMs = 2_000;
/** Timeout of one call to Temporal. The SDK repeats a refused connection for a few seconds more. */
const startWithinMs = 5_000;
/** While Temporal is unavailable, a warning for each row would fill the log, so most rows are logged at debug. */
const warnEveryMs = 10_000;
/** gRPC's code for a request that Temporal will never accept. */
const invalidArgument = 3;

/** Deliveries and posts have separate poll loops, so neither kind delays the other. */
export function startRelay(options: RelayDependencies): Running {
  const dependencies = {
    ...options,
    log: options.log.child({ component: 'relay' }),
    warnLevel: createWarnLevel(),
  };
  const { db, listener, log, eagerStart } = dependencies;
  const { fullWebhooks = () => [], isCrowded = () => false } = dependencies;
  let failingFromMs = 0;

  async function startAll<Row extends ClaimedRow>(
    rows: Row[],
    startOne: (row: Row) => Promise<Outcome> = (row) => startWorkflow(dependencies, row),
  ): Promise<boolean> {
    const outcomes = await Promise.all(rows.map(startOne));
    const isStarted = (i: number) => outcomes[i] === 'started' || outcomes[i] === 'eager';
    const ids = rows.filter((_, i) => isStarted(i)).map((row) => row.id);
    await deleteOutbox(db, ids);
    return !outcomes.includes('unavailable');
  }

  async function startClaimed(
    claiming: Promise<ClaimedBatch[]>,
    startOne?: (batch: ClaimedBatch) => Promise<Outcome>,
  ): Promise<number | 'unavailable'> {
    const batches = await claiming;
    if (!(await startAll(batches, startOne))) return 'unavailable';
    return batches.reduce((sum, { size }) => sum + size, 0);
  }

  async function startBatch(batch: ClaimedBatch): Promise<Outcome> {
    eagerStart?.prepare(batch.batchId);
    const outcome = await startWorkflow(dependencies, batch);
    if (outcome === 'eager') eagerStart?.begin(batch.batchId);
    else eagerStart?.forget(batch.batchId);
    return outcome;
  }

  async function claimFailing(isBusy: boolean): Promise<ClaimedBatch[]> {
    if (performance.now() < failingFromMs) return [];
    failingFromMs = performance.now() + (isBusy ? busyFailingEveryMs : failingEveryMs);
    const except = fullWebhooks();
    const batch = await claimBatch(db, { limit: maxBatchSize, isFailing: true, except });
    return batch ? [batch] : [];
  }

  const deliveries = startPollLoop({
    listener,
    channel: 'fanfare_deliveries',
    log,
    hasBacklog: () => fullWebhooks().length > 0,
    async poll(isBusy) {
      // Both claims run in parallel, so neither delays the other.
      const found = await Promise.all([
        startClaimed(claimBatches(db, fullWebhooks()), startBatch),
        startClaimed(claimFailing(isBusy)),
      ]);
      return found.includes('unavailable') ? 'unavailable' : Number(found[0]) + Number(found[1]);
    },
  });
  const workflows = startPollLoop({
    listener,
    channel: 'fanfare_outbox',
    log,
    hasBacklog: isCrowded,
    async poll() {
      if (isCrowded()) return 0;
      const rows = await claimOutbox(db, maxRows);
      return (await startAll(rows)) ? rows.length : 'unavailable';
    },
  });
  return {
    async stop() {
      await Promise.all([deliveries.stop(), workflows.stop()]);
    },
  };
}

/** Claims a second batch only if the first one is full. */
async function claimBatches(db: Db, except: string[]): Promise<ClaimedBatch[]> {
  const batches: ClaimedBatch[] = [];
  for (let i = 0; i < maxBatches; i++) {
    const batch = await claimBatch(db, { limit: maxBatchSize, except });
    if (batch) batches.push(batch);
    if (!batch || batch.size < maxBatchSize) break;
  }
  return batches;
}

/**
 * `started`: Temporal knows the workflow. `eager`: in addition, this process has the first task of the workflow. After
 * `refused` and `unavailable` the row stays for a later poll; `unavailable` delays that poll.
 */
type Outcome = 'started' | 'eager' | 'refused' | 'unavailable';

/** Returns the level of the next log line about an unavailable Temporal. */
function createWarnLevel(): () => 'warn' | 'debug' {
  let warnedAtMs = -Infinity;
  return () => {
    if (performance.now() - warnedAtMs < warnEveryMs) return 'debug';
    warnedAtMs = performance.now();
    return 'warn';
  };
}

async function startWorkflow(
  dependencies: RelayDependencies & { warnLevel: () => 'warn' | 'debug' },
  row: ClaimedRow,
): Promise<Outcome> {
  const { temporal, taskQueue, isVersioned = false, log, warnLevel } = dependencies;
  const delayMs = Math.ceil(row.delay_ms ?? 0);
  const timing: Partial<WorkflowStartOptions> =
    delayMs > 0 ? { startDelay: delayMs } : { requestEagerStart: !isVersioned };
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
    return eagerlyStarted ? 'eager' : 'started';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'started';
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    const isRefused = code === invalidArgument;
    const level = isRefused ? 'warn' : warnLevel();
    log[level]({ err: error, workflow_id: row.workflow_id }, 'a workflow could not be started');
    return isRefused ? 'refused' : 'unavailable';
  }
}
