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
    for (const group of separateRepeats(attempts)) {
      const transitions = await insertAttempts(db, notifier, group);
      if (transitions.length > 0) onTransitions(transitions);
    }
    return attempts.map(() => undefined);
  }
  return { record: createGroupedWrite(insertAll, { maxItems: maxGroup }) };
}

/**
 * One statement updates a row only once. So each group has one attempt of a delivery, and its next attempt is in
 * the next group. A process that stood still may make two attempts of a delivery at the same time.
 */
function separateRepeats(attempts: AttemptRecord[]): AttemptRecord[][] {
  const groups: AttemptRecord[][] = [];
  const counts = new Map<string, number>();
  for (const attempt of attempts) {
    const count = counts.get(attempt.delivery_id) ?? 0;
    counts.set(attempt.delivery_id, count + 1);
    (groups[count] ??= []).push(attempt);
  }
  return groups;
}
