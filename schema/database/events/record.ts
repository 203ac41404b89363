// Records events: the body rendered once, one delivery per matching webhook, the changes for the feed.
import { sql } from 'kysely';
import type { KeyEnvironment } from '../../api-keys.ts';
import { isSent, type EventType } from '../../events.ts';
import { newId } from '../../wire/ids.ts';
import type { Transaction } from '../tables.ts';

export interface NewEvent {
  projectId: string;
  /** Of its post or account. Webhooks of test keys get events of `test` alone. */
  environment: KeyEnvironment;
  kind: EventType;
  data: object;
  postId?: string;
  socialAccountId?: string;
}

export interface RecordedEvent {
  /** Null: a coming-soon kind, which isn't recorded. */
  eventId: string | null;
  deliveryCount: number;
}

/**
 * One statement. Call it in the transaction that makes the event true, with the row of the post or
 * account locked: its timestamps grow strictly per subject. Ring `fanfare_deliveries` and
 * `fanfare_changes` after the commit.
 */
export async function recordEvent(
  trx: Transaction,
  event: NewEvent,
  config: { previewEvents: boolean },
): Promise<RecordedEvent> {
  const { projectId, environment, kind, postId = null, socialAccountId = null } = event;
  if (!isSent(kind, config)) return { eventId: null, deliveryCount: 0 };
  const eventId = newId('event');
  const { rows } = await sql<{ delivery_count: number }>`
    /* prepared: record_event */
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
      select ${eventId}, ${projectId}, ${environment}, ${kind},
        ${renderBody(kind, event.data)}, ${postId}, ${socialAccountId}, recorded_at
      from moment
    ), delivery as (
      insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger,
        next_attempt_at, concluded_at, created_at)
      select ${deliveryId(newId('delivery'))}, project_id, id, ${eventId}, ${kind},
        case status when 'active' then 'pending' else 'skipped' end, 'event',
        case status when 'active' then recorded_at end,
        case status when 'active' then null else recorded_at end, recorded_at
      from webhook_subscriptions, moment
      where project_id = ${projectId} and deleted_at is null and ${kind} = any (events)
        and (environment = 'production' or ${environment} = 'test')
      returning id
    ), change as (
      insert into changes (project_id, subject, subject_id, kind)
      select ${projectId}, 'event', ${eventId}, 'recorded'
      union all
      select ${projectId}, 'delivery', id, 'created' from delivery
    )
    select count(*)::int as delivery_count from delivery`.execute(trx);
  return { eventId, deliveryCount: rows[0]!.delivery_count };
}

/** The request body, as an SQL expression of `recorded_at`. */
export function renderBody(kind: EventType, data: object) {
  const head = `{"event":${JSON.stringify(kind)},"timestamp":"`;
  const tail = `","data":${JSON.stringify(data)}}`;
  return sql`${head} || to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ${tail}`;
}

/**
 * How many webhooks match is known only inside the statement, so the ids of their deliveries are one
 * new id whose last four characters are the row's number: hexadecimal digits are in the ids' alphabet.
 */
function deliveryId(base: string) {
  return sql`${base.slice(0, -4)} || lpad(to_hex(row_number() over (order by id)), 4, '0')`;
}
