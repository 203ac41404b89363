// Writes the outcomes of many scheduled attempts at once: log, states of the deliveries, and live feed.
import { sql } from 'kysely';
import type { ChangeKind } from '../../change-kinds.ts';
import type { DeliveryStatus, Timings } from '../../deliveries.ts';
import { insertionOf } from '../live/changes.ts';
import type { Notifier } from '../notifier.ts';
import { inStatement } from '../transaction.ts';
import { executePrepared } from '../prepared.ts';
import type { Db, Writer } from '../tables.ts';

/** One request to a receiver, and its answer. */
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

/** An attempt of the retry schedule, and the new state of its delivery. */
export interface AttemptRecord extends Exchange {
  delivery_id: string;
  /**
   * The delivery's two counts when the attempt began. Together they give the attempt's step in the retry
   * schedule.
   */
  scheduled_attempts: number;
  ladder_start: number;
  status: Extract<DeliveryStatus, 'delivered' | 'retrying' | 'failed'>;
  next_attempt_at: Date | null;
}

/** How a group of attempts changed the state of a webhook. */
export interface WebhookTransition {
  webhook_id: string;
  /** `failed`: a delivery failed for good. `failing`: the webhook began to fail. */
  transition: 'failed' | 'failing' | 'recovered';
  /** Error of one failed attempt. Null: no attempt failed. */
  error_code: string | null;
  /** Status of the same attempt. Null: no attempt failed, or the receiver did not answer. */
  status_code: number | null;
}

// A second attempt of the same step doesn't advance the retry schedule. It was made because the process of
// the first attempt was wrongly taken for dead. An attempt of a concluded delivery doesn't advance the
// schedule either. A success always counts.
const isNext = sql`(
  d.scheduled_attempts = a.scheduled_attempts and d.ladder_start = a.ladder_start
  and (d.status = 'pending' or d.status = 'retrying'))`;
const counts = sql`(a.status = 'delivered' or ${isNext})`;

/**
 * Writes the group in one statement. A webhook starts to fail when the group has failures but no success for
 * it. Its row is written only on such a change. Test events don't count.
 */
export async function insertAttempts(
  db: Db,
  notifier: Notifier,
  attempts: AttemptRecord[],
): Promise<WebhookTransition[]> {
  const inIdOrder = attempts.toSorted((a, b) => (a.delivery_id < b.delivery_id ? -1 : 1));
  type Kind = ChangeKind<'delivery'>;
  const kind = sql<Kind>`case when status = outcome then status else 'attempted' end`;
  const changes = (writer: Writer) =>
    insertionOf(
      writer,
      { subject: 'delivery', kind, from: sql`updated` },
      { subject: 'webhook', kind: sql`transition`, from: sql`transition` },
    );
  const statement = (writer: Writer) => sql<WebhookTransition>`
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
        d.failed_at, a.status as outcome, a.error_code, a.status_code
    ), logged as (
      insert into delivery_attempts (delivery_id, number, trigger, started_at, timings,
        remote_address, status_code, error_code, request_headers, response_headers,
        response_body, next_attempt_at)
      select delivery_id, attempt_count, 'schedule', started_at, timings, remote_address,
        attempt.status_code, attempt.error_code, request_headers, response_headers, response_body,
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
    ), transition as (
      select id, project_id, 'failing' as transition from failing
      union all select id, project_id, 'recovered' from recovered
    ), change as (${changes(writer)})
    select t.id as webhook_id, transition, error_code, status_code
    from transition t left join lateral (
      select error_code, status_code from updated
      where webhook_id = t.id and outcome <> 'delivered' limit 1
    ) as attempted on transition = 'failing'
    union all
    (select distinct on (webhook_id) webhook_id, 'failed', error_code, status_code
      from updated where failed_at is not null order by webhook_id)`;
  return inStatement(db, notifier, (writer) =>
    executePrepared(writer, 'insert_attempts', statement(writer)),
  );
}
