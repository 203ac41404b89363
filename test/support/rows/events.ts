// Commits many events without an API.
import { recordEvent, type NewEvent } from '../../../schema/database/events/record.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { inQuietTransaction } from './quiet-transaction.ts';

const eventsPerTransaction = 25;

/** In transactions so short that the database cuts none, however busy the machine. */
export async function commitEvents(db: Db, event: NewEvent, count: number): Promise<void> {
  for (let left = count; left > 0; left -= eventsPerTransaction) {
    await inQuietTransaction(db, async (trx) => {
      for (let i = 0; i < Math.min(eventsPerTransaction, left); i++) {
        await recordEvent(trx, event, { previewEvents: false });
      }
    });
  }
}
