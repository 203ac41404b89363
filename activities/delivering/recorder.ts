// Groups the outcomes of attempts into few writes.
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import {
  insertAttempts,
  type AttemptRecord,
  type WebhookTransition,
} from '../../schema/database/webhooks/delivery-attempts.ts';
import { createGroupedWrite } from '../grouped-write.ts';
import { toRounds } from '../rounds.ts';

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
    // One statement updates a row only once. A process that stood still may make two attempts of a delivery at the
    // same time.
    for (const group of toRounds(attempts, ({ delivery_id }) => delivery_id)) {
      const transitions = await insertAttempts(db, notifier, group);
      if (transitions.length > 0) onTransitions(transitions);
    }
    return attempts.map(() => undefined);
  }
  return { record: createGroupedWrite(insertAll, { maxItems: maxGroup }) };
}
