// Records events: renders the body once, and inserts a delivery for each matching webhook.
import { sql } from 'kysely';
import type { KeyEnvironment } from '../../api-keys.ts';
import { isSent, type EventType } from '../../event-types.ts';
import { newId } from '../../wire/ids.ts';
import { insertionOf } from '../live/changes.ts';
import { executePrepared } from '../prepared.ts';
import type { Transaction, Writer } from '../tables.ts';

export interface NewEvent {
  projectId: string;
  /** The environment of the post or account. Webhooks of test keys get only events of `test`. */
  environment: KeyEnvironment;
  type: EventType;
  data: object;
  postId?: string;
  socialAccountId?: string;
}

export interface RecordedEvent {
  /** Null: the event type is coming soon and isn't recorded. */
  eventId: string | null;
  deliveryCount: number;
}

/**
 * Call it in the transaction of the change that the event reports, with the row of the post or account
 * locked. The lock makes the timestamps of a subject's events increase strictly.
 */
export async function recordEvent(
  trx: Writer,
  event: NewEvent,
  config: { previewEvents: boolean },
): Promise<RecordedEvent> {
  const { projectId, environment, type, postId = null, socialAccountId = null } = event;
  if (!isSent(type, config)) return { eventId: null, deliveryCount: 0 };
  const eventId = newId('event');
  const changes = insertionOf(
    trx,
    { project_id: projectId, subject: 'event', subject_id: eventId, kind: 'recorded' },
    { project_id: projectId, subject: 'delivery', kind: 'created', from: sql`delivery` },
  );
  const statement = sql<{ delivery_count: number }>`
    with moment as materialized (
      select greatest(
        date_trunc('milliseconds', clock_timestamp()),
        (select max(created_at) + interval '1 ms' from events where post_id = ${postId}),
        (select max(created_at) + interval '1 ms' from events
          where social_account_id = ${socialAccountId})
      ) as recorded_at
    ), event as (
      insert into events (id, project_id, environment, kind, body, post_id, social_account_id,
        created_at)
      select ${eventId}, ${projectId}, ${environment}, ${type},
        ${renderBody(type, event.data)}, ${postId}, ${socialAccountId}, recorded_at
      from moment
    ), delivery as (
      insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger,
        next_attempt_at, concluded_at, created_at)
      select ${deliveryId(newId('delivery'))}, project_id, id, ${eventId}, ${type},
        case status when 'active' then 'pending' else 'skipped' end, 'event',
        case status when 'active' then recorded_at end,
        case status when 'active' then null else recorded_at end, recorded_at
      from webhook_subscriptions, moment
      where project_id = ${projectId} and deleted_at is null and ${type} = any (events)
        and (environment = 'production' or ${environment} = 'test')
      returning id
    ), change as (${changes})
    select count(*)::int as delivery_count from delivery`;
  const [counted] = await executePrepared(trx, 'record_event', statement);
  const deliveryCount = counted!.delivery_count;
  if (deliveryCount > 0) trx.notifyAfterCommit('fanfare_deliveries');
  return { eventId, deliveryCount };
}

/** The request body, as an SQL expression of `recorded_at`. */
function renderBody(type: EventType, data: object) {
  const head = `{"event":${JSON.stringify(type)},"timestamp":"`;
  const tail = `","data":${JSON.stringify(data)}}`;
  return sql`${head} || to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ${tail}`;
}

/**
 * SQL for the id of a delivery. Only the statement knows how many webhooks match. So all ids begin like one
 * new id, and end in the row's number, in four hexadecimal digits.
 */
function deliveryId(base: string) {
  return sql`${base.slice(0, -4)} || lpad(to_hex(row_number() over (order by id)), 4, '0')`;
}

export interface NewTestEvent {
  projectId: string;
  webhookId: string;
  /** The environment of the webhook. */
  environment: KeyEnvironment;
  type: EventType;
  data: object;
}

/**
 * Records a test event with one delivery to the tested webhook. The caller inserts the changes of the event
 * and the delivery into the live feed.
 */
export async function recordTestEvent(
  trx: Transaction,
  { projectId, webhookId, environment, type, data }: NewTestEvent,
): Promise<{ eventId: string; deliveryId: string }> {
  const eventId = newId('event');
  const deliveryId = newId('delivery');
  await sql`
    with moment as materialized (
      select date_trunc('milliseconds', clock_timestamp()) as recorded_at
    ), event as (
      insert into events (id, project_id, environment, kind, body, is_test, created_at)
      select ${eventId}, ${projectId}, ${environment}, ${type}, ${renderBody(type, data)}, true,
        recorded_at
      from moment
    )
    insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger,
      next_attempt_at, created_at)
    select ${deliveryId}, ${projectId}, ${webhookId}, ${eventId}, ${type}, 'pending', 'test',
      recorded_at, recorded_at
    from moment`.execute(trx);
  trx.notifyAfterCommit('fanfare_deliveries');
  return { eventId, deliveryId };
}
