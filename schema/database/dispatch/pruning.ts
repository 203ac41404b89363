// Deletes records whose retention period has ended, one bounded batch at a time.
import { sql, type RawBuilder } from 'kysely';
import { firstIdAt, type IdKind } from '../../wire/ids.ts';
import { monthOf } from '../accounts/usage.ts';
import type { Database, Db, Transaction } from '../tables.ts';

export interface PrunedEvents {
  events: number;
  deliveries: number;
  /** Id of the last event examined; null: no event is left. */
  after: string | null;
}

/** A batch holds its locks while it deletes, so it is small. */
const maxEvents = 500;
const maxDeliveries = 1_000;

/**
 * Deletes events older than `before`, after the id `after`, with their deliveries and attempts. Leaves
 * events with an unfinished delivery, and rows that another transaction has locked.
 */
export async function deleteEvents(
  trx: Transaction,
  before: Date,
  after: string,
): Promise<PrunedEvents> {
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
  return { events: goneIds.length, deliveries: deliveryIds.length, after: eventIds.at(-1)! };
}

/** The lock prevents new deliveries of the event. Locks at least one event, however many deliveries it has. */
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

/** A separate statement, so that it sees everything committed before the events were locked. */
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

/** Tables whose rows expire by age alone, each with its indexed time column. */
const ageColumns = {
  activity_failures: 'failed_at',
  idempotency_keys: 'created_at',
  revocations: 'expires_at',
  sandbox_grants: 'created_at',
  sandbox_media: 'created_at',
  sandbox_posts: 'created_at',
  sandbox_refusals: 'created_at',
} as const;

// Each function below deletes at most `limit` rows, the oldest first, and returns how many.

export function deleteAged(
  db: Db,
  table: keyof typeof ageColumns,
  before: Date,
  limit: number,
): Promise<number> {
  const age = sql.ref(ageColumns[table]);
  return deleteFirst(db, table, sql`${age} < ${before} order by ${age}`, limit);
}

/** Deletes replays that concluded before `before`. */
export function deleteReplays(db: Db, before: Date, limit: number): Promise<number> {
  return deleteOldest(db, 'replays', 'replay', before, limit, sql`concluded_at < ${before}`);
}

/** Deletes connect sessions that expired before `before`. */
export function deleteConnectSessions(db: Db, before: Date, limit: number): Promise<number> {
  const hasEnded = sql`expires_at < ${before}`;
  return deleteOldest(db, 'connect_sessions', 'connectSession', before, limit, hasEnded);
}

/** Deletes what connect sessions that expired before `before` kept for their next page. */
export async function deleteExpiredFlows(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update connect_sessions set flow = null, flow_key_id = null where ctid = any (array(
      select ctid from connect_sessions where flow is not null and expires_at < ${before}
      order by expires_at limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Deletes apps that were registered before `before` at servers that users name, if no login and no open
 * connect session may need them. Sessions are open for much less than a day.
 */
export function deleteServerApps(db: Db, before: Date, limit: number): Promise<number> {
  // Not joins, for which Postgres might read whole tables.
  const isUnused = sql`instance <> '' and project_id is not null and created_at < ${before}
    and (select id from grants where app_id = platform_apps.id limit 1) is null
    and (
      select id from connect_sessions session
      where session.project_id = platform_apps.project_id
        and session.id > ${firstIdAt('connectSession', before)}
        and session.platform = platform_apps.platform
        and session.status = 'pending' and session.expires_at > now()
      limit 1
    ) is null
    order by created_at`;
  return deleteFirst(db, 'platform_apps', isUnused, limit);
}

/**
 * Deletes the oldest posts that concluded before `before`, with their results and attempts. Drafts and
 * scheduled posts stay.
 */
export function deletePosts(db: Db, before: Date, limit: number): Promise<number> {
  const hasConcluded = sql`status not in ('draft', 'scheduled', 'pending')
    and progressed_at < ${before}`;
  return deleteOldest(db, 'posts', 'post', before, limit, hasConcluded);
}

/** Removes the rows of webhooks that were deleted before `before`. Their deliveries go with their events. */
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

/** Deletes the usage of months that ended before `before`. */
export function deleteUsage(db: Db, before: Date, limit: number): Promise<number> {
  const hasEnded = sql`month < ${monthOf(before)} order by month`;
  return deleteFirst(db, 'account_usage', hasEnded, limit);
}

/**
 * Deletes rate limits that ended before `before`, in no order. Reads the whole table, which has at most
 * three rows per account: an index on its times would cost every commit to a network.
 */
export function deleteFreeLimits(db: Db, before: Date, limit: number): Promise<number> {
  const hasEnded = sql`greatest(next_free_at, blocked_until) < ${before}`;
  return deleteFirst(db, 'rate_limits', hasEnded, limit);
}

/** Finds the oldest rows by the time in their ids, which the primary key sorts by. */
function deleteOldest(
  db: Db,
  table: 'api_keys' | 'connect_sessions' | 'posts' | 'replays' | 'webhook_subscriptions',
  kind: IdKind,
  before: Date,
  limit: number,
  hasEnded: RawBuilder<unknown>,
): Promise<number> {
  const isOld = sql`id < ${firstIdAt(kind, before)} and ${hasEnded} order by id`;
  return deleteFirst(db, table, isOld, limit);
}

/** By `ctid`, the row's place: a join might make the planner read the whole table. */
async function deleteFirst(
  db: Db,
  table: keyof Database,
  where: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${where}
      limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
