// Groups the outcomes of attempts into few writes: whatever came while one was under way is the next.
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/live/notifier.ts';
import {
  insertAttempts,
  type AttemptRecord,
  type WebhookTurn,
} from '../../schema/database/webhooks/delivery-attempts.ts';

export interface DeliveryRecorder {
  /** Resolves when the attempt is committed; rejects when its group could not be written. */
  record(attempt: AttemptRecord): Promise<void>;
}

interface Waiter {
  attempt: AttemptRecord;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const maxGroup = 200;
/** Postgres' code. */
const deadlockDetected = '40P01';

/** `onTurns`: told after the attempts are committed, and never waited for. */
export function createDeliveryRecorder(
  db: Db,
  notifier: Notifier,
  onTurns: (turns: WebhookTurn[]) => void = () => undefined,
): DeliveryRecorder {
  let queue: Waiter[] = [];
  let isWriting = false;

  /** A group that lost a deadlock was rolled back whole, so it is simply written again. */
  async function write(attempts: AttemptRecord[]): Promise<WebhookTurn[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await insertAttempts(db, attempts);
      } catch (error) {
        if ((error as { code?: string }).code !== deadlockDetected || tries === 3) throw error;
      }
    }
  }

  async function drain(): Promise<void> {
    isWriting = true;
    // Attempts that end in the same turn of the event loop share a write.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const group = queue.slice(0, maxGroup);
      queue = queue.slice(maxGroup);
      try {
        const turns = await write(group.map((waiter) => waiter.attempt));
        group.forEach((waiter) => waiter.resolve());
        notifier.notify('fanfare_changes');
        if (turns.length > 0) onTurns(turns);
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
