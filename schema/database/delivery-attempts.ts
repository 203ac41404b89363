// Writes the outcomes of many attempts at once: the log, the deliveries' states, the feed.
import { sql } from 'kysely';
import type { AttemptTrigger, DeliveryStatus, Timings } from '../deliveries.ts';
import type { Db } from './database.ts';

/** One attempt and what it makes of its delivery. */
export interface AttemptRecord {
  delivery_id: string;
  number: number;
  trigger: AttemptTrigger;
  started_at: Date;
  ended_at: Date;
  timings: Timings;
  remote_address: string | null;
  status_code: number | null;
  error_code: string | null;
  request_headers: Record<string, string>;
  response_headers: Record<string, string> | null;
  response_body: string | null;
  status: Extract<DeliveryStatus, 'delivered' | 'retrying' | 'failed'>;
  next_attempt_at: Date | null;
}

/**
 * One statement for the group. A webhook's row is written only when it begins or ceases to fail. An attempt number is recorded once: a repeat after a crash changes
 * nothing, and an attempt that comes late leaves a concluded delivery as it is.
 */
export async function insertAttempts(db: Db, attempts: AttemptRecord[]): Promise<void> {
  const inIdOrder = attempts.toSorted((a, b) => (a.delivery_id < b.delivery_id ? -1 : 1));
  await sql`
    /* prepared: insert_attempts */
    with attempt as materialized (
      select * from json_to_recordset(${JSON.stringify(inIdOrder)}::json) as t (
        delivery_id text, number int, trigger text, started_at timestamptz, ended_at timestamptz,
        timings jsonb, remote_address text, status_code int, error_code text,
        request_headers jsonb, response_headers jsonb, response_body text,
        status text, next_attempt_at timestamptz)
    ), logged as (
      insert into delivery_attempts (delivery_id, number, trigger, started_at, timings,
        remote_address, status_code, error_code, request_headers, response_headers,
        response_body, next_attempt_at)
      select delivery_id, number, trigger, started_at, timings, remote_address, status_code,
        error_code, request_headers, response_headers, response_body, next_attempt_at
      from attempt
      on conflict do nothing
    ), updated as (
      update deliveries d set
        status = a.status,
        attempt_count = a.number,
        ladder_step = d.ladder_step + 1,
        next_attempt_at = a.next_attempt_at,
        last_status_code = a.status_code,
        last_error_code = a.error_code,
        concluded_at = case when a.status <> 'retrying' then a.ended_at end,
        delivered_at = case when a.status = 'delivered' then a.ended_at end
      from attempt a
      where d.id = a.delivery_id and d.attempt_count = a.number - 1
        and (d.status = 'pending' or d.status = 'retrying')
      returning d.id, d.project_id, d.webhook_id, d.status
    ), failing as (
      update webhook_subscriptions w set failing_since = now()
      where failing_since is null
        and id in (select webhook_id from updated where status <> 'delivered')
    ), recovered as (
      update webhook_subscriptions w set failing_since = null
      where failing_since is not null
        and id in (select webhook_id from updated where status = 'delivered')
    )
    insert into changes (project_id, subject, subject_id, kind)
    select project_id, 'delivery', id, status from updated`.execute(db);
}
