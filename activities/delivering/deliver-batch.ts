// One run over a batch: attempts each delivery that is due, and decides when its next attempt is due.
import type { Logger } from 'pino';
import type { Notifier } from '../../schema/database/notifier.ts';
import { releaseBatch } from '../../schema/database/dispatch/sweeping.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { AttemptRecord, Exchange } from '../../schema/database/webhooks/delivery-attempts.ts';
import { listUnfinished, type DueDelivery } from '../../schema/database/webhooks/due-deliveries.ts';
import { concludeUnsent } from '../../schema/database/webhooks/waiting-deliveries.ts';
import {
  deliverEventsWorkflowId,
  type DeliverEventsInput,
  type WaitingDelivery,
} from '../../schema/workflows.ts';
import { recordFailure } from '../activity-failures.ts';
import { readRetryAfterMs } from '../egress/retry-after.ts';
import { NotBegunError } from '../egress/send-outcome.ts';
import type { KeyedCounter } from '../keyed-limits.ts';
import { endedDeliveries } from '../metrics.ts';
import { exchange, UnsignableError, type ExchangeDependencies } from './exchange.ts';
import type { DeliveryRecorder } from './recorder.ts';

export interface BatchDependencies extends ExchangeDependencies {
  db: Db;
  notifier: Notifier;
  recorder: DeliveryRecorder;
  /** The retry schedule. */
  delaysMs: readonly number[];
  /** Deliveries in batch runs of this process, by webhook. */
  inFlight: KeyedCounter;
  log: Logger;
}

/** A receiver may take 10 s more, so a run ends within 12 s. */
const beginWithinMs = 1_500;
const unsignableWaitMs = 60_000;

/**
 * Attempts the deliveries that are due, and returns those that have not concluded. A failed request is a
 * recorded attempt. Only an error of our own database throws; the repeated run then skips all recorded
 * attempts.
 *
 * While deliveries are paused, the batch is released to the relay, which claims it again after the pause.
 * `ofProjects` counts the deliveries in flight of each project.
 */
export async function attemptBatch(
  dependencies: BatchDependencies,
  { batchId, deliveryIds }: DeliverEventsInput,
  ofProjects?: KeyedCounter,
): Promise<WaitingDelivery[]> {
  const { db, notifier, inFlight } = dependencies;
  const unfinished = await listUnfinished(db, batchId, deliveryIds);
  const deleted = unfinished.filter((delivery) => delivery.webhook.deleted_at !== null);
  const disabled = unfinished.filter(
    ({ webhook, trigger }) =>
      webhook.deleted_at === null && webhook.status === 'disabled' && trigger !== 'test',
  );
  await concludeUnsent(db, notifier, batchId, deleted, 'canceled');
  await concludeUnsent(db, notifier, batchId, disabled, 'skipped');
  const gone = new Set([...deleted, ...disabled]);
  const sendable = unfinished.filter((delivery) => !gone.has(delivery));
  if (sendable.some((delivery) => delivery.is_paused)) {
    const ids = sendable.map(({ id }) => id);
    await releaseBatch(db, notifier, batchId, ids);
    return [];
  }
  const outcomes = await Promise.allSettled(
    sendable.map(async (delivery) => {
      inFlight.add(delivery.webhook.id);
      ofProjects?.add(delivery.project_id);
      try {
        return await deliverIfDue(dependencies, batchId, delivery);
      } finally {
        inFlight.remove(delivery.webhook.id);
        ofProjects?.remove(delivery.project_id);
      }
    }),
  );
  // Thrown only after every attempt has ended, so that no attempt overlaps with the repeated run.
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  const nowMs = dependencies.now();
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected' || outcome.value.dueAtMs === null) return [];
    const { deliveryId, attemptCount, dueAtMs } = outcome.value;
    return { deliveryId, attemptCount, dueAtMs, waitMs: Math.max(dueAtMs - nowMs, 0) };
  });
}

interface AttemptedDelivery extends Omit<WaitingDelivery, 'dueAtMs' | 'waitMs'> {
  /** Null once the delivery has concluded. */
  dueAtMs: number | null;
}

async function deliverIfDue(
  dependencies: BatchDependencies,
  batchId: string,
  delivery: DueDelivery,
): Promise<AttemptedDelivery> {
  const { id: deliveryId, attempt_count: attemptCount, next_attempt_at } = delivery;
  const dueAtMs = next_attempt_at?.getTime() ?? 0;
  if (dueAtMs > dependencies.now()) return { deliveryId, attemptCount, dueAtMs };
  try {
    const nextAt = await attemptDelivery(dependencies, delivery);
    return { deliveryId, attemptCount: attemptCount + 1, dueAtMs: nextAt?.getTime() ?? null };
  } catch (error) {
    const nowMs = dependencies.now();
    if (error instanceof NotBegunError) {
      return { deliveryId, attemptCount, dueAtMs: nowMs + error.retryAfterMs };
    }
    if (!(error instanceof UnsignableError)) throw error;
    // Not thrown, because the other deliveries of the batch must not wait until the operator has repaired the vault.
    dependencies.log.error(
      { component: 'delivering', err: error, delivery_id: deliveryId },
      'a delivery cannot be signed',
    );
    const workflowId = deliverEventsWorkflowId(batchId);
    await recordFailure(dependencies.db, { workflowId, activity: 'deliver', error });
    return { deliveryId, attemptCount, dueAtMs: nowMs + unsignableWaitMs };
  }
}

/**
 * Returns when the next attempt is due; null when the delivery has concluded. Throws NotBegunError if no
 * connection to the receiver came free in time. Then nothing was sent or recorded.
 */
async function attemptDelivery(
  dependencies: BatchDependencies,
  delivery: DueDelivery,
): Promise<Date | null> {
  const { recorder, delaysMs } = dependencies;
  const outcome = await exchange(dependencies, delivery, beginWithinMs);
  const isDelivered = outcome.error_code === null;
  const step = delivery.scheduled_attempts - delivery.ladder_start;
  // A test event gets only one attempt.
  const isOver = isDelivered || delivery.trigger === 'test';
  const waitMs = isOver ? undefined : nextWaitMs(delaysMs, step, outcome);
  const nextAttemptAt = waitMs === undefined ? null : new Date(outcome.ended_at.getTime() + waitMs);
  const failed: AttemptRecord['status'] = nextAttemptAt ? 'retrying' : 'failed';
  const status = isDelivered ? 'delivered' : failed;
  await recorder.record({
    ...outcome,
    delivery_id: delivery.id,
    scheduled_attempts: delivery.scheduled_attempts,
    ladder_start: delivery.ladder_start,
    status,
    next_attempt_at: nextAttemptAt,
  });
  if (status !== 'retrying') reportEnd(dependencies, delivery, { status, ...outcome });
  return nextAttemptAt;
}

/** Logs at the level debug, since every event gets a log line for each of its webhooks. */
function reportEnd(
  { log }: BatchDependencies,
  { id, attempt_count, webhook }: DueDelivery,
  { status, error_code }: Pick<AttemptRecord, 'status' | 'error_code'>,
): void {
  endedDeliveries.inc({ status });
  const fields = {
    delivery_id: id,
    webhook_id: webhook.id,
    attempts: attempt_count + 1,
    error_code,
  };
  log.debug({ component: 'delivering', ...fields }, `delivery ${status}`);
}

/**
 * The wait after attempt `step` of the retry schedule; undefined after the last attempt. `Retry-After` can
 * extend the wait up to the wait of the next step, and never shortens it.
 */
export function nextWaitMs(
  delaysMs: readonly number[],
  step: number,
  { status_code, response_headers, ended_at }: Exchange,
): number | undefined {
  const delayMs = delaysMs[step];
  if (delayMs === undefined || (status_code !== 429 && status_code !== 503)) return delayMs;
  const askedMs = readRetryAfterMs(response_headers?.['retry-after'], ended_at.getTime()) ?? 0;
  return Math.max(delayMs, Math.min(askedMs, delaysMs[step + 1] ?? delayMs));
}
