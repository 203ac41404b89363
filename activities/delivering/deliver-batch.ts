// One round of attempts over a batch of deliveries.
import type { Logger } from 'pino';
import { recordActivityFailure } from '../../schema/database/dispatch/activity-failures.ts';
import type { Db } from '../../schema/database/tables.ts';
import {
  concludeUnsent,
  listUnfinished,
  type DueDelivery,
} from '../../schema/database/webhooks/due-deliveries.ts';
import { releaseBatch } from '../../schema/database/dispatch/sweeping.ts';
import {
  deliverEventsWorkflowId,
  type DeliverEventsInput,
  type WaitingDelivery,
} from '../../schema/workflows.ts';
import { describeError } from '../activity-failures.ts';
import { attemptDelivery, type AttemptDependencies } from './attempt-delivery.ts';
import { UnsignableError } from './exchange.ts';
import type { InHand } from './in-flight.ts';
import { NotBegunError } from '../egress/send-outcome.ts';

export interface RoundDependencies extends AttemptDependencies {
  db: Db;
  inHand: InHand;
  log: Logger;
}

const unsignableWaitMs = 60_000;

/**
 * Attempts what is due and returns what has not concluded. A receiver's fault is a recorded attempt;
 * only a fault of our own database throws, and then the round is repeated: what is recorded is not
 * sent again. `rows`: the batch, where it has been read already.
 *
 * While deliveries are paused nothing is attempted: what was meant goes back to the relay, which takes
 * it, each by its retry schedule, when they are resumed.
 */
export async function attemptRound(
  dependencies: RoundDependencies,
  { batchId, deliveryIds }: DeliverEventsInput,
  rows?: DueDelivery[],
): Promise<WaitingDelivery[]> {
  const { db, inHand } = dependencies;
  const unfinished = rows ?? (await listUnfinished(db, batchId, deliveryIds));
  const deleted = unfinished.filter((delivery) => delivery.webhook.deleted_at !== null);
  const disabled = unfinished.filter(
    ({ webhook, trigger }) =>
      webhook.deleted_at === null && webhook.status === 'disabled' && trigger !== 'test',
  );
  await concludeUnsent(db, batchId, deleted, 'canceled');
  await concludeUnsent(db, batchId, disabled, 'skipped');
  const gone = new Set([...deleted, ...disabled]);
  const meant = unfinished.filter((delivery) => !gone.has(delivery));
  if (meant.some((delivery) => delivery.is_paused)) {
    await releaseBatch(
      db,
      batchId,
      meant.map(({ id }) => id),
    );
    return [];
  }
  const outcomes = await Promise.allSettled(
    meant.map((delivery) =>
      inHand.during(delivery.webhook.id, () => deliverIfDue(dependencies, batchId, delivery)),
    ),
  );
  // Every attempt of the round has ended before a fault is told: none goes on behind the retry.
  const fault = outcomes.find((outcome) => outcome.status === 'rejected');
  if (fault) throw fault.reason;
  const nowMs = dependencies.now();
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected' || outcome.value.dueAtMs === null) return [];
    return { ...outcome.value, waitMs: Math.max(outcome.value.dueAtMs - nowMs, 0) };
  });
}

async function deliverIfDue(
  dependencies: RoundDependencies,
  batchId: string,
  delivery: DueDelivery,
): Promise<WaitingDelivery> {
  const { id: deliveryId, attempt_count, next_attempt_at } = delivery;
  const dueAtMs = next_attempt_at?.getTime() ?? 0;
  if (dueAtMs > dependencies.now()) return { deliveryId, attemptCount: attempt_count, dueAtMs };
  try {
    const nextAt = await attemptDelivery(dependencies, delivery);
    return {
      deliveryId,
      attemptCount: attempt_count + 1,
      dueAtMs: nextAt?.getTime() ?? null,
    };
  } catch (error) {
    const attemptCount = attempt_count;
    const nowMs = dependencies.now();
    if (error instanceof NotBegunError) {
      return { deliveryId, attemptCount, dueAtMs: nowMs + error.retryAfterMs };
    }
    if (!(error instanceof UnsignableError)) throw error;
    // Its neighbours must not wait for the operator.
    dependencies.log.error({ err: error, deliveryId }, 'A delivery waits, since it is unsigned.');
    await recordActivityFailure(dependencies.db, {
      workflowId: deliverEventsWorkflowId(batchId),
      activity: 'deliver',
      error: describeError(error),
    });
    return { deliveryId, attemptCount, dueAtMs: nowMs + unsignableWaitMs };
  }
}
