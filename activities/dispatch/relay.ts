// Starts the workflows that the outbox names, and attempts new deliveries. Posts that come together share a
// workflow.
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
  groupPosts,
  leastIfMore,
  maxReleasedOfEach,
  releaseEarly,
  type ClaimedBatch,
  type ClaimedRow,
} from '../../schema/database/dispatch/claims.ts';
import {
  deliverEventsWorkflow,
  maxBatchSize,
  maxGroupSize,
  publishPostWorkflow,
} from '../../schema/workflows.ts';
import type { FirstAttempts } from '../delivering/first-attempts.ts';
import { createOutboxDeletions } from './outbox-deletions.ts';
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
  /** Projects whose rows must not be claimed now, because their posts wait in this process. */
  crowdedProjects?: () => string[];
  attempts: FirstAttempts;
  log: Logger;
}

/** The wait after a poll for posts. Posts that come during it share a workflow; a lone post doesn't wait. */
const gatherMs = 200;
/** The wait after each poll for deliveries, so that the attempts it started begin undisturbed. */
const quietMs = 10;
/** Added to that wait for each delivery that the poll found. A full claim gathers nothing, so it adds nothing. */
const gatherPerDeliveryMs = 2;
const maxGatherMs = 100;
/** Deliveries of failing webhooks can wait, and each of their workflows lasts for a whole retry schedule. */
const failingEveryMs = 2_000;
/** Deliveries in one claim for first attempts: few, because they delay the attempts of the next claim. */
const maxFirstAttempts = 100;
/** How often scheduled posts become ready, some seconds before they are due. */
const releaseEveryMs = 2_000;
/** Timeout of one call to Temporal. The SDK repeats a refused connection for a few seconds more. */
const startWithinMs = 5_000;
/** While Temporal is unavailable, a warning for each row would fill the log, so most rows are logged at debug. */
const warnEveryMs = 10_000;
/** gRPC's code for a request that Temporal will never accept. */
const invalidArgument = 3;

export interface Relay extends Running {
  /** Resolves when no first attempt and no deletion is in progress. */
  settled(): Promise<void>;
}

/** Deliveries and posts have separate poll loops, so neither kind delays the other. */
export function startRelay(options: RelayDependencies): Relay {
  const dependencies = {
    ...options,
    log: options.log.child({ component: 'relay' }),
    warnLevel: createWarnLevel(),
  };
  const { db, listener, log, attempts } = dependencies;
  const { fullWebhooks = () => [], crowdedProjects = () => [] } = dependencies;
  const deletions = createOutboxDeletions(db, log);
  const attempted = new Set<Promise<void>>();
  let failingFromMs = 0;
  let releaseFromMs = 0;

  async function startAll(rows: ClaimedRow[]): Promise<boolean> {
    const outcomes = await Promise.all(rows.map((row) => startWorkflow(dependencies, row)));
    deletions.add(rows.filter((_, i) => outcomes[i] === 'started').map((row) => row.id));
    return !outcomes.includes('unavailable');
  }

  /** Doesn't wait for the attempts. After an error here, another relay starts the workflow. */
  function attempt(batch: ClaimedBatch): void {
    const attempting = attempts
      .run(batch)
      .then(async (end) => {
        if (end === 'left') await startAll([batch]);
        else deletions.add([batch.id]);
      })
      .catch((err: unknown) => {
        log.warn(
          { err, batch_id: batch.batchId },
          'the first attempts of a batch were interrupted',
        );
      })
      .finally(() => attempted.delete(attempting));
    attempted.add(attempting);
  }

  async function claimAndAttempt(except: string[], exceptProjects: string[]): Promise<number> {
    const batch = await claimBatch(db, { limit: maxFirstAttempts, except, exceptProjects });
    if (batch) attempt(batch);
    return batch?.size ?? 0;
  }

  async function startFailing(except: string[]): Promise<number> {
    if (performance.now() < failingFromMs) return 0;
    failingFromMs = performance.now() + failingEveryMs;
    const batch = await claimBatch(db, { limit: maxBatchSize, isFailing: true, except });
    if (batch) await startAll([batch]);
    return batch?.size ?? 0;
  }

  const deliveries = startPollLoop({
    listener,
    channel: 'fanfare_deliveries',
    log,
    async poll() {
      const except = fullWebhooks();
      const exceptProjects = attempts.fullProjects();
      // Both claims run in parallel, so neither delays the other.
      const claims = [claimAndAttempt(except, exceptProjects), startFailing(except)] as const;
      const [found, failing] = await Promise.all(claims);
      const gathered = found < maxFirstAttempts ? (found + failing) * gatherPerDeliveryMs : 0;
      return {
        isMore: found >= leastIfMore || except.length > 0 || exceptProjects.length > 0,
        waitMs: Math.min(quietMs + gathered, maxGatherMs),
      };
    },
  });
  const workflows = startPollLoop({
    listener,
    channel: 'fanfare_outbox',
    log,
    async poll() {
      if (performance.now() >= releaseFromMs) {
        const startedMs = performance.now();
        const released = await releaseEarly(db);
        releaseFromMs = released < maxReleasedOfEach ? startedMs + releaseEveryMs : startedMs;
      }
      const except = crowdedProjects();
      const rows = await claimOutbox(db, maxGroupSize, except);
      if (!(await startAll(await group(db, rows)))) return 'unavailable';
      const isFull = rows.length >= maxGroupSize;
      return {
        isMore: isFull || except.length > 0,
        waitMs: isFull || rows.length === 0 ? quietMs : gatherMs,
      };
    },
  });
  return {
    async stop() {
      await Promise.all([deliveries.stop(), workflows.stop()]);
    },
    async settled() {
      await Promise.allSettled(attempted);
      await deletions.settled();
    },
  };
}

/**
 * Groups new posts: those that are due, and those that are scheduled. Leaves a row alone that was claimed before,
 * because Temporal may know its workflow.
 */
async function group(db: Db, rows: ClaimedRow[]): Promise<ClaimedRow[]> {
  const kinds = Map.groupBy(rows, ({ workflow, was_claimed, delay_ms }) => {
    if (workflow !== publishPostWorkflow || was_claimed) return 'other';
    return (delay_ms ?? 0) > 0 ? 'scheduled' : 'due';
  });
  const groupOf = async (kind: 'scheduled' | 'due') => {
    const posts = kinds.get(kind) ?? [];
    if (posts.length < 2) return posts;
    const grouped = await groupPosts(db, posts);
    return grouped ? [grouped] : [];
  };
  return [
    ...(kinds.get('other') ?? []),
    ...(await groupOf('due')),
    ...(await groupOf('scheduled')),
  ];
}

/**
 * `started`: Temporal knows the workflow. After `refused` and `unavailable` the row stays for a later poll;
 * `unavailable` delays that poll.
 */
type Outcome = 'started' | 'refused' | 'unavailable';

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
    return 'started';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'started';
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    const isRefused = code === invalidArgument;
    const level = isRefused ? 'warn' : warnLevel();
    log[level]({ err: error, workflow_id: row.workflow_id }, 'a workflow could not be started');
    return isRefused ? 'refused' : 'unavailable';
  }
}
