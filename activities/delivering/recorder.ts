// Groups the outcomes of attempts into few writes. Outcomes that arrive during a write form the next group.
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import {
  insertAttempts,
  type AttemptRecord,
  type WebhookTransition,
} from '../../schema/database/webhooks/delivery-attempts.ts';

export interface DeliveryRecorder {
  /** Resolves once the attempt is committed. Rejects if its group could not be written. */
  record(attempt: AttemptRecord): Promise<void>;
}

interface Waiter {
  attempt: AttemptRecord;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const maxGroup = 200;
/** Postgres' error code. */
const deadlockDetected = '40P01';

/** Calls `onTransitions` after the commit, and doesn't wait for it. */
export function createDeliveryRecorder(
  db: Db,
  notifier: Notifier,
  onTransitions: (transitions: WebhookTransition[]) => void = () => undefined,
): DeliveryRecorder {
  let queue: Waiter[] = [];
  let isWriting = false;

  /** A deadlock rolls the whole group back, so the group is written again. */
  async function write(attempts: AttemptRecord[]): Promise<WebhookTransition[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await insertAttempts(db, notifier, attempts);
      } catch (error) {
        if ((error as { code?: string }).code !== deadlockDetected || tries === 3) throw error;
      }
    }
  }

  async function drain(): Promise<void> {
    isWriting = true;
    // Attempts that end in the same iteration of the event loop share a write.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const group = queue.slice(0, maxGroup);
      queue = queue.slice(maxGroup);
      try {
        const transitions = await write(group.map((waiter) => waiter.attempt));
        group.forEach((waiter) => waiter.resolve());
        if (transitions.length > 0) onTransitions(transitions);
      } catch (error) {
        group.forEach((waiter) => waiter.reject(error));
      }
    }
    isWriting = false;
  }

  return {
    record: (attempt) =>
      new Promise((resolve, reject) => {
        queue.push({ attempt, resolve, reject });
        if (!isWriting) void drain();
      }),
  };
}
