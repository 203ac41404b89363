// Commits many events without an API.
import { sql } from 'kysely';
import { recordEvent, type NewEvent } from '../../../schema/database/events/record.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { inQuietTransaction } from './quiet-transaction.ts';

const eventsPerTransaction = 250;

/** Commits the events in few transactions. They have no time limit, because the machine may be busy. */
export async function commitEvents(db: Db, event: NewEvent, count: number): Promise<void> {
  for (let left = count; left > 0; left -= eventsPerTransaction) {
    await inQuietTransaction(db, async (trx) => {
      await sql`set local transaction_timeout = 0`.execute(trx);
      for (let i = 0; i < Math.min(eventsPerTransaction, left); i++) {
        await recordEvent(trx, event, { previewEvents: false });
      }
    });
  }
}
