// The activity of `retryDelivery`: one attempt beside the schedule.
import type { Db } from '../schema/database/database.ts';
import type { Doorbell } from '../schema/database/doorbell.ts';
import { findManualDelivery, insertManualAttempt } from '../schema/database/manual-attempts.ts';
import type { RetryDeliveryInput } from '../schema/workflows.ts';
import { exchange, type ExchangeDependencies } from './exchange.ts';
import { withHeartbeat } from './with-heartbeat.ts';

export interface RetryingDependencies extends ExchangeDependencies {
  db: Db;
  doorbell: Doorbell;
}

/** A user waits for this one: it queues for a connection as long as a receiver may take. */
const beginWithinMs = 10_000;

export function createRetrying(dependencies: RetryingDependencies) {
  const { db, doorbell } = dependencies;

  /** Sends nothing when the webhook or the event is gone by now. */
  async function attempt({ deliveryId }: RetryDeliveryInput): Promise<void> {
    const delivery = await findManualDelivery(db, deliveryId);
    if (!delivery?.webhook || delivery.body === null) return;
    const { webhook, body } = delivery;
    const outcome = await exchange(dependencies, { ...delivery, webhook, body }, beginWithinMs);
    await db.transaction().execute((trx) => insertManualAttempt(trx, deliveryId, outcome));
    doorbell.ring('fanfare_changes');
  }

  return {
    attemptOnce: (input: RetryDeliveryInput): Promise<void> => withHeartbeat(() => attempt(input)),
  };
}
