// Writes the outcomes of many scheduled attempts at once: the log, the deliveries' states, the feed.
import { sql } from 'kysely';
import type { DeliveryStatus, Timings } from '../../deliveries.ts';
import type { Db } from '../tables.ts';

/** What one request to a receiver was like. */
export interface Exchange {
  started_at: Date;
  ended_at: Date;
  timings: Timings;
  remote_address: string | null;
  status_code: number | null;
  error_code: string | null;
  request_headers: Record<string, string>;
  response_headers: Record<string, string> | null;
  response_body: string | null;
}

/** An attempt of the schedule and what it makes of its delivery. */
export interface AttemptRecord extends Exchange {
  delivery_id: string;
  /** How many the schedule had made when this one began, and when its retry schedule did: its place. */
  scheduled_attempts: number;
  ladder_start: number;
  status: Extract<DeliveryStatus, 'delivered' | 'retrying' | 'failed'>;
  next_attempt_at: Date | null;
}

/** What a group of attempts made of webhooks. */
export interface WebhookTurn {
  webhook_id: string;
  /** `failed`: a delivery failed for good. The others: it began or ceased to fail. */
  turn: 'failed' | 'failing' | 'recovered';
}

// A second attempt of the same place, made while the first one's process was taken for dead, takes none
// of the retry schedule's steps; nor does one to a delivery that was ended or delivered by hand meanwhile. But
// when the receiver has taken the event, that is the truth.
const isNext = sql`(
  d.scheduled_attempts = a.scheduled_attempts and d.ladder_start = a.ladder_start
  and (d.status = 'pending' or d.status = 'retrying'))`;
const counts = sql`(a.status = 'delivered' or ${isNext})`;

/**
 * One statement for the group. A webhook's row is written only when it begins or ceases to fail: it
 * fails when a group has failures of it and no success. Test events do neither.
 */
export async function insertAttempts(db: Db, attempts: AttemptRecord[]): Promise<WebhookTurn[]> {
  const inIdOrder = attempts.toSorted((a, b) => (a.delivery_id < b.delivery_id ? -1 : 1));
  const { rows } = await sql<WebhookTurn>`
    /* prepared: insert_attempts */
    with attempt as materialized (
      select * from json_to_recordset(${JSON.stringify(inIdOrder)}::json) as t (
        delivery_id text, scheduled_attempts int, ladder_start int,
        started_at timestamptz, ended_at timestamptz, timings jsonb, remote_address text, status_code int, error_code text,
        request_headers jsonb, response_headers jsonb, response_body text,
        status text, next_attempt_at timestamptz)
    ), updated as (
      update deliveries d set
        attempt_count = d.attempt_count + 1,
        scheduled_attempts = d.scheduled_attempts + case when ${isNext} then 1 else 0 end,
        last_status_code = a.status_code,
        last_error_code = a.error_code,
        status = case when ${counts} then a.status else d.status end,
        next_attempt_at = case when ${counts} then a.next_attempt_at else d.next_attempt_at end,
        concluded_at = case when not ${counts} then d.concluded_at
          when a.status <> 'retrying' then a.ended_at end,
        delivered_at = case when a.status = 'delivered' then a.ended_at else d.delivered_at end,
        is_delivered_manually = d.is_delivered_manually and a.status <> 'delivered',
        failed_at = case when a.status = 'failed' and d.trigger <> 'test' and ${counts}
          then a.ended_at when not ${counts} then d.failed_at end
      from attempt a
      where d.id = a.delivery_id
      returning d.id, d.project_id, d.webhook_id, d.trigger, d.attempt_count, d.status,
        d.failed_at, a.status as outcome
    ), logged as (
      insert into delivery_attempts (delivery_id, number, trigger, started_at, timings,
        remote_address, status_code, error_code, request_headers, response_headers,
        response_body, next_attempt_at)
      select delivery_id, attempt_count, 'schedule', started_at, timings, remote_address,
        status_code, error_code, request_headers, response_headers, response_body,
        case when u.status = u.outcome then next_attempt_at end
      from attempt join updated u on u.id = delivery_id
      on conflict do nothing
    ), receiver as (
      select webhook_id, bool_or(outcome = 'delivered') as has_taken,
        bool_or(outcome <> 'delivered' and outcome = status) as has_failed
      from updated where trigger <> 'test' group by webhook_id
    ), failing as (
      update webhook_subscriptions w set failing_since = now()
      where failing_since is null and status = 'active'
        and id = any (array(select webhook_id from receiver where has_failed and not has_taken))
      returning id, project_id
    ), recovered as (
      update webhook_subscriptions w set failing_since = null
      where failing_since is not null and status = 'active'
        and id = any (array(select webhook_id from receiver where has_taken))
      returning id, project_id
    ), turn as (
      select id, project_id, 'failing' as turn from failing
      union all select id, project_id, 'recovered' from recovered
    ), change as (
      insert into changes (project_id, subject, subject_id, kind)
      select project_id, 'delivery', id, case when status = outcome then status else 'attempted' end
      from updated
      union all select project_id, 'webhook', id, turn from turn
    )
    select id as webhook_id, turn from turn
    union all
    select distinct webhook_id, 'failed' from updated where failed_at is not null`.execute(db);
  return rows;
}
