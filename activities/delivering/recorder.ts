// Groups the outcomes of attempts into few writes.
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import {
  insertAttempts,
  type AttemptRecord,
  type WebhookTransition,
} from '../../schema/database/webhooks/delivery-attempts.ts';
import { createGroupedWrite } from '../grouped-write.ts';

export interface DeliveryRecorder {
  /** Resolves once the attempt is committed. */
  record(attempt: AttemptRecord): Promise<void>;
}

const maxGroup = 200;

/** Calls `onTransitions` after the commit, and doesn't wait for it. */
export function createDeliveryRecorder(
  db: Db,
  notifier: Notifier,
  onTransitions: (transitions: WebhookTransition[]) => void = () => undefined,
): DeliveryRecorder {
  async function insertAll(attempts: AttemptRecord[]): Promise<void[]> {
    const transitions = await insertAttempts(db, notifier, attempts);
    if (transitions.length > 0) onTransitions(transitions);
    return attempts.map(() => undefined);
  }
  return { record: createGroupedWrite(insertAll, { maxItems: maxGroup }) };
}
