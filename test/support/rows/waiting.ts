// Sessions that wait for a lock.
import { sql } from 'kysely';
import type { Db } from '../../../schema/database/tables.ts';

/** Counts the sessions of this database that wait for a lock. */
export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]!.count;
}
