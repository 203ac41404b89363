// The heartbeats of calls to networks, which show that the process of a call lives.
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../tables.ts';
import { isOpenRow, type TargetRow } from './targets.ts';

/** A call in flight: the ID of its row and its number. */
export type BegunCall = Pick<TargetRow, 'id' | 'steps'>;

/** Both functions skip calls that other processes have taken over. */
export interface HeartbeatStore {
  renew(calls: BegunCall[]): Promise<void>;
  release(calls: BegunCall[]): Promise<void>;
}

/** For calls that publish targets. */
export const heartbeatsOfTargets = (db: Db) =>
  heartbeatsIn(db, 'post_results', isOpenRow('post_results'));

/** For calls that edit or remove published targets. */
export const heartbeatsOfChanges = (db: Db) =>
  heartbeatsIn(db, 'result_changes', sql`status = 'pending'`);

function heartbeatsIn(
  db: Db,
  table: 'post_results' | 'result_changes',
  isOpen: RawBuilder<unknown>,
): HeartbeatStore {
  /** Skips locked rows, because one locked row must not delay all heartbeats. */
  async function setHeartbeats(calls: BegunCall[], value: RawBuilder<unknown>): Promise<void> {
    await sql`
      update ${sql.table(table)} set heartbeat_at = ${value}
      where id in (
        select id from ${sql.table(table)}
        join unnest(${calls.map(({ id }) => id)}::text[], ${calls.map(({ steps }) => steps)}::int[])
          as call (row_id, number) on id = row_id and steps = number
        where phase_state = 'begun' and ${isOpen}
        for no key update of ${sql.table(table)} skip locked
      )`.execute(db);
  }
  return {
    renew: (calls) => setHeartbeats(calls, sql`now()`),
    release: (calls) => setHeartbeats(calls, sql`null`),
  };
}
