// The activity of `retryDelivery`: one attempt in addition to the schedule.
import { ApplicationFailure } from '@temporalio/activity';
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import {
  findManualDelivery,
  insertManualAttempt,
} from '../../schema/database/webhooks/manual-attempts.ts';
import type { RetryDeliveryInput } from '../../schema/workflows.ts';
import type { CallPlaces } from '../call-places.ts';
import { exchange, type ExchangeDependencies } from './exchange.ts';
import { NotBegunError } from '../egress/send-outcome.ts';
import { withHeartbeat } from '../with-heartbeat.ts';

/** How soon a paused retry checks again. */
const pausedMs = 2_000;
/** How soon a retry checks again whether its project has a place for a call. */
const crowdedMs = 5_000;

export interface RetryingDependencies extends ExchangeDependencies {
  db: Db;
  notifier: Notifier;
  places: CallPlaces;
  /**
   * How long the attempt waits for a connection. Default: as long as a receiver may take, since a user is
   * waiting.
   */
  beginWithinMs?: number;
}

export function createRetrying(dependencies: RetryingDependencies) {
  const { db, notifier, places, beginWithinMs = 10_000 } = dependencies;

  /** Sends nothing if the webhook or the event is gone by now. */
  async function attempt({ deliveryId }: RetryDeliveryInput): Promise<void> {
    const delivery = await findManualDelivery(db, deliveryId);
    if (!delivery?.webhook || delivery.body === null) return;
    if (delivery.is_paused) {
      // The API accepted this retry just before the pause began. During the pause, the API refuses retries.
      throw failure('PausedError', 'Deliveries are paused by the operator.', pausedMs);
    }
    using place = places.acquire(delivery.project_id);
    if (!place) {
      throw failure('CrowdedError', 'The project has too many calls in progress.', crowdedMs);
    }
    const { webhook, body } = delivery;
    const sendable = { ...delivery, webhook, body };
    const outcome = await exchange(dependencies, sendable, beginWithinMs).catch(toFailure);
    await inTransaction(db, notifier, (trx) => insertManualAttempt(trx, deliveryId, outcome));
  }

  return {
    attemptOnce: (input: RetryDeliveryInput): Promise<void> => withHeartbeat(() => attempt(input)),
  };
}

/** Temporal tries again when a connection may be free, instead of by its own retry schedule. */
function toFailure(error: unknown): never {
  if (!(error instanceof NotBegunError) || error.retryAfterMs <= 0) throw error;
  throw failure(error.name, error.message, error.retryAfterMs);
}

function failure(type: string, message: string, retryAfterMs: number): ApplicationFailure {
  return ApplicationFailure.create({ message, type, nextRetryDelay: Math.ceil(retryAfterMs) });
}
