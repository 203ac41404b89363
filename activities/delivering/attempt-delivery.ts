// One attempt of the schedule: the exchange, its place in the retry schedule, its record.
import type { AttemptRecord } from '../../schema/database/webhooks/delivery-attempts.ts';
import type { DueDelivery } from '../../schema/database/webhooks/due-deliveries.ts';
import type { DeliveryRecorder } from './recorder.ts';
import { exchange, type ExchangeDependencies } from './exchange.ts';
import { nextWaitMs } from '../egress/retry-after.ts';

export interface AttemptDependencies extends ExchangeDependencies {
  recorder: DeliveryRecorder;
  delaysMs: readonly number[];
}

/** With the 10 s that a receiver may take, a round ends within 12 s whatever receivers do. */
const beginWithinMs = 1_500;

/**
 * Returns when the next attempt is due, null when the delivery has concluded. Throws NotBegunError
 * when no connection to the receiver came free in time: then nothing was sent or recorded.
 */
export async function attemptDelivery(
  dependencies: AttemptDependencies,
  delivery: DueDelivery,
): Promise<Date | null> {
  const { recorder, delaysMs } = dependencies;
  const outcome = await exchange(dependencies, delivery, beginWithinMs);
  const isDelivered = outcome.error_code === null;
  const step = delivery.scheduled_attempts - delivery.ladder_start;
  // A test event gets one attempt.
  const isOver = isDelivered || delivery.trigger === 'test';
  const waitMs = isOver ? undefined : nextWaitMs(delaysMs, step, outcome);
  const nextAttemptAt = waitMs === undefined ? null : new Date(outcome.ended_at.getTime() + waitMs);
  const failed: AttemptRecord['status'] = nextAttemptAt ? 'retrying' : 'failed';
  await recorder.record({
    ...outcome,
    delivery_id: delivery.id,
    scheduled_attempts: delivery.scheduled_attempts,
    ladder_start: delivery.ladder_start,
    status: isDelivered ? 'delivered' : failed,
    next_attempt_at: nextAttemptAt,
  });
  return nextAttemptAt;
}
