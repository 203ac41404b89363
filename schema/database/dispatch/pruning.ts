// Deletes records whose retention period has ended, one bounded batch at a time.
import { sql, type RawBuilder } from 'kysely';
import { firstIdAt, type IdKind } from '../../wire/ids.ts';
import { monthOf } from '../accounts/usage.ts';
import type { Database, Db, Transaction } from '../tables.ts';
import { isSuccess } from '../webhooks/health.ts';

/** The last success among the deleted deliveries to a webhook. */
export interface Success {
  webhook_id: string;
  delivered_at: Date;
}

export interface PrunedEvents {
  events: number;
  deliveries: number;
  /** Id of the last event examined; null: no event is left. */
  after: string | null;
}

/** A batch holds its locks while it deletes, so it is small. */
export const maxEvents = 500;
const maxDeliveries = 1_000;

/** Deletes events that are older than `before` and whose ID is greater than `after`. */
export async function deleteEvents(
  trx: Transaction,
  before: Date,
  after: string,
): Promise<PrunedEvents> {
  const old = sql`id > ${after} and id < ${firstIdAt('event', before)}`;
  const { successes: _, ...pruned } = await deleteEventsWhere(trx, old);
  return pruned;
}

/**
 * Deletes the first events that match, with their deliveries and attempts. Leaves events with an unfinished
 * delivery, and rows that another transaction has locked.
 */
export async function deleteEventsWhere(
  trx: Transaction,
  condition: RawBuilder<unknown>,
): Promise<PrunedEvents & { successes: Success[] }> {
  const eventIds = await lockEvents(trx, condition);
  const after = eventIds.at(-1) ?? null;
  if (after === null) return { events: 0, deliveries: 0, after, successes: [] };
  const { keptIds, deliveryIds } = await lockConcluded(trx, eventIds);
  const goneIds = eventIds.filter((id) => !keptIds.has(id));
  const { rows: successes } = await sql<Success>`
    with attempt as (
      delete from delivery_attempts where delivery_id = any(${deliveryIds})
    ), delivery as (
      delete from deliveries where id = any(${deliveryIds})
      returning webhook_id, delivered_at, trigger, is_delivered_manually
    ), event as (
      delete from events where id = any(${goneIds})
    )
    select webhook_id, max(delivered_at) as delivered_at from delivery
    where ${isSuccess} group by webhook_id`.execute(trx);
  return { events: goneIds.length, deliveries: deliveryIds.length, after, successes };
}

/** The lock prevents new deliveries of the event. Locks at least one event, however many deliveries it has. */
async function lockEvents(trx: Transaction, condition: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with found as materialized (
      select id from events where ${condition}
      order by id limit ${maxEvents} for update skip locked
    ), sized as (
      select id, own, sum(own) over (order by id) as total
      from found, lateral (select count(*) as own from deliveries where event_id = found.id offset 0) d
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

/** Finds rows by the time in their ids, which the primary key sorts by. */
const withOldId = (kind: IdKind, before: Date, hasEnded: RawBuilder<unknown>) =>
  sql`id < ${firstIdAt(kind, before)} and ${hasEnded} order by id`;

/** Finds rows that end by age alone. The column is indexed. */
const byAge = (column: string) => (before: Date) =>
  sql`${sql.ref(column)} < ${before} order by ${sql.ref(column)}`;

/** The rows of each table that ended before a time, the oldest first. */
const endedRows = {
  activity_failures: byAge('failed_at'),
  dashboard_sessions: byAge('expires_at'),
  data_deletions: byAge('erased_at'),
  /** Lists with their choices. */
  choice_lists: byAge('fetched_at'),
  idempotency_keys: byAge('created_at'),
  revocations: byAge('expires_at'),
  sandbox_grants: byAge('created_at'),
  sandbox_media: byAge('created_at'),
  sandbox_posts: byAge('created_at'),
  sandbox_refusals: byAge('created_at'),
  /** Usage of months that ended. */
  account_usage: (before) => sql`month < ${monthOf(before)} order by month`,
  /** Revoked or expired keys. */
  api_keys: (before) => withOldId('key', before, sql`least(revoked_at, expires_at) < ${before}`),
  connect_sessions: (before) => withOldId('connectSession', before, sql`expires_at < ${before}`),
  review_links: (before) => withOldId('reviewLink', before, sql`expires_at < ${before}`),
  /** Posts with their results and attempts. Drafts and scheduled posts stay. */
  posts: (before) =>
    withOldId(
      'post',
      before,
      sql`status not in ('draft', 'scheduled', 'pending') and progressed_at < ${before}`,
    ),
  replays: (before) => withOldId('replay', before, sql`concluded_at < ${before}`),
  account_checks: (before) => withOldId('check', before, sql`ended_at < ${before}`),
  /** Deleted webhooks. Their deliveries are deleted with the events. */
  webhook_subscriptions: (before) => withOldId('webhook', before, sql`deleted_at < ${before}`),
  /**
   * Apps that were registered at servers that users name, if no login and no open connect session needs them.
   * Sessions are open for much less than a day. No joins, for which Postgres might read whole tables.
   */
  platform_apps: (before) => sql`
    instance <> '' and project_id is not null and created_at < ${before}
    and (select id from grants where app_id = platform_apps.id limit 1) is null
    and (
      select id from connect_sessions session
      where session.project_id = platform_apps.project_id
        and session.id > ${firstIdAt('connectSession', before)}
        and session.platform = platform_apps.platform
        and session.status = 'pending' and session.expires_at > now()
      limit 1
    ) is null
    order by created_at`,
  /**
   * Finds rate limits in no order. Reads the whole table, which has at most three rows per account. An index
   * on the table's times would slow down every commit to a network.
   */
  rate_limits: (before) => sql`greatest(next_free_at, blocked_until) < ${before}`,
} satisfies Partial<Record<keyof Database, (before: Date) => RawBuilder<unknown>>>;

/**
 * Deletes at most `limit` rows that ended before `before`, the oldest first, and returns how many. Names the
 * rows by `ctid`, their place in the table, because a join might make the planner read the whole table.
 */
export async function deleteEnded(
  db: Db,
  table: keyof typeof endedRows,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${endedRows[table](before)}
      limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes the `flow`, kept for the next page, of connect sessions that expired before `before`. */
export async function deleteExpiredFlows(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update connect_sessions set flow = null, flow_key_id = null where ctid = any (array(
      select ctid from connect_sessions where flow is not null and expires_at < ${before}
      order by expires_at limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
