// Deletes what has been kept long enough, a bounded batch at a time.
import { sql } from 'kysely';
import { firstIdAt, type IdKind } from '../../wire/ids.ts';
import { monthOf } from '../accounts/usage.ts';
import type { Db, Transaction } from '../tables.ts';

export interface PrunedEvents {
  events: number;
  deliveries: number;
  /** Up to here events have been looked at; null: none is left to look at. */
  after: string | null;
}

/** A batch holds its locks for the blink that so many rows, with their attempts, take to delete. */
const maxEvents = 500;
const maxDeliveries = 1_000;

/**
 * Deletes events made before `before`, the oldest after `after` first, each with all its deliveries
 * and their attempts. One that has an unfinished delivery stays, and what another holds is left for
 * the next time.
 */
export async function deleteEvents(db: Db, before: Date, after: string): Promise<PrunedEvents> {
  return db.transaction().execute(async (trx) => {
    const eventIds = await lockOldEvents(trx, before, after);
    if (eventIds.length === 0) return { events: 0, deliveries: 0, after: null };
    const { keptIds, deliveryIds } = await lockConcluded(trx, eventIds);
    const goneIds = eventIds.filter((id) => !keptIds.has(id));
    await sql`
      with attempt as (
        delete from delivery_attempts where delivery_id = any(${deliveryIds})
      ), delivery as (
        delete from deliveries where id = any(${deliveryIds})
      )
      delete from events where id = any(${goneIds})`.execute(trx);
    return {
      events: goneIds.length,
      deliveries: deliveryIds.length,
      after: eventIds.at(-1)!,
    };
  });
}

/** The lock keeps others from giving the event one more delivery. At least one, however many it has. */
async function lockOldEvents(trx: Transaction, before: Date, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with old as materialized (
      select id from events where id > ${after} and id < ${firstIdAt('event', before)}
      order by id limit ${maxEvents} for update skip locked
    ), sized as (
      select id, own, sum(own) over (order by id) as total
      from old, lateral (select count(*) as own from deliveries where event_id = old.id offset 0) d
    )
    select id from sized where total <= ${maxDeliveries} or total = own order by id`.execute(trx);
  return rows.map((row) => row.id);
}

/** A statement of its own: it sees what was committed before the events were locked. */
async function lockConcluded(trx: Transaction, eventIds: string[]) {
  const { rows } = await sql<{ id: string; event_id: string; is_locked: boolean }>`
    with locked as materialized (
      select id from deliveries
      where event_id = any(${eventIds}) and status not in ('pending', 'retrying')
      for update skip locked
    )
    select d.id, d.event_id, locked.id is not null as is_locked
    from deliveries d left join locked on locked.id = d.id
    where d.event_id = any(${eventIds})`.execute(trx);
  const keptIds = new Set(rows.filter((row) => !row.is_locked).map((row) => row.event_id));
  const gone = rows.filter((row) => !keptIds.has(row.event_id));
  return { keptIds, deliveryIds: gone.map((row) => row.id) };
}

/** Tables whose rows end by age alone, each with the indexed column that tells it. */
const ageColumns = {
  activity_failures: 'failed_at',
  idempotency_keys: 'created_at',
  sandbox_grants: 'created_at',
  sandbox_posts: 'created_at',
  sandbox_refusals: 'created_at',
} as const;

/**
 * Deletes the oldest, at most `limit`; returns how many there were. By `ctid`, the row's place, a row
 * is found without a join, which the planner might do by reading the whole table.
 */
export async function deleteAged(
  db: Db,
  table: keyof typeof ageColumns,
  before: Date,
  limit: number,
): Promise<number> {
  const age = sql.ref(ageColumns[table]);
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${age} < ${before}
      order by ${age} limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes the oldest of those concluded, at most `limit`; returns how many there were. */
export function deleteReplays(db: Db, before: Date, limit: number): Promise<number> {
  return deleteOldest(db, 'replays', 'replay', before, limit, sql`concluded_at < ${before}`);
}

/** Deletes the oldest of those expired, at most `limit`; returns how many there were. */
export function deleteConnectSessions(db: Db, before: Date, limit: number): Promise<number> {
  const hasEnded = sql`expires_at < ${before}`;
  return deleteOldest(db, 'connect_sessions', 'connectSession', before, limit, hasEnded);
}

/**
 * Deletes the oldest posts that concluded before `before`, at most `limit`, with their results and
 * attempts; returns how many there were. Drafts and scheduled posts stay.
 */
export function deletePosts(db: Db, before: Date, limit: number): Promise<number> {
  const hasConcluded = sql`status not in ('draft', 'scheduled', 'pending')
    and progressed_at < ${before}`;
  return deleteOldest(db, 'posts', 'post', before, limit, hasConcluded);
}

/** Deletes webhooks that were deleted before `before`; their deliveries go with their events. */
export function deleteWebhooks(db: Db, before: Date, limit: number): Promise<number> {
  return deleteOldest(
    db,
    'webhook_subscriptions',
    'webhook',
    before,
    limit,
    sql`deleted_at < ${before}`,
  );
}

/** Deletes API keys that were revoked or had expired before `before`. */
export function deleteEndedKeys(db: Db, before: Date, limit: number): Promise<number> {
  const hasEnded = sql`least(revoked_at, expires_at) < ${before}`;
  return deleteOldest(db, 'api_keys', 'key', before, limit, hasEnded);
}

/** Deletes the usage of months that ended before `before`, at most `limit` rows. */
export async function deleteUsage(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from account_usage where ctid = any (array(
      select ctid from account_usage where month < ${monthOf(before)}
      order by month limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Deletes rate limits that ended before `before`, at most `limit`. Reads the whole table, which has a
 * row for each account at most: an index on its times would cost every commit to a network.
 */
export async function deleteFreeLimits(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where ctid = any (array(
      select ctid from rate_limits where greatest(next_free_at, blocked_until) < ${before}
      limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Oldest by the time in their ids, which the primary key sorts by; returns how many there were. */
async function deleteOldest(
  db: Db,
  table: 'api_keys' | 'connect_sessions' | 'posts' | 'replays' | 'webhook_subscriptions',
  kind: IdKind,
  before: Date,
  limit: number,
  hasEnded: ReturnType<typeof sql>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where id < ${firstIdAt(kind, before)} and ${hasEnded}
      order by id limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
