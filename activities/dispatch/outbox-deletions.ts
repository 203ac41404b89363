// Deletes outbox rows whose work has begun, shortly after that. The row of a post and the row of its deliveries then
// share a statement. A row that a crash leaves is dispatched again, which has no effect.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deleteOutbox } from '../../schema/database/dispatch/claims.ts';
import type { Db } from '../../schema/database/tables.ts';
import { withoutProject } from '../current-project.ts';

export interface OutboxDeletions {
  add(ids: readonly string[]): void;
  /** Resolves once no deletion waits or is in progress. */
  settled(): Promise<void>;
}

/** Much shorter than a claim, after which a row would be dispatched again. */
const gatherMs = 250;

export function createOutboxDeletions(db: Db, log: Logger): OutboxDeletions {
  const ids: string[] = [];
  let deleting: Promise<void> | undefined;

  async function deleteAll(): Promise<void> {
    while (ids.length > 0) {
      await sleep(gatherMs);
      await deleteOutbox(db, ids.splice(0)).catch((err: unknown) => {
        log.warn({ err }, 'outbox rows could not be deleted');
      });
    }
    deleting = undefined;
  }

  return {
    add(added) {
      ids.push(...added);
      if (ids.length > 0) deleting ??= withoutProject(deleteAll);
    },
    async settled() {
      await deleting;
    },
  };
}
