// What webhooks need to be looked after: ladders that begin anew, failures that are counted, replays.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const id = 'text collate "C"';
const time = 'timestamptz(3)';

const statements = [
  // A replay begins a new ladder: the position on it is scheduled_attempts - ladder_start.
  `alter table deliveries rename column ladder_step to scheduled_attempts`,
  `alter table deliveries
    add column ladder_start int not null default 0,
    add column failed_at ${time},
    add column is_delivered_manually boolean not null default false,
    add column replay_id ${id}`,
  `update deliveries set failed_at = concluded_at where status = 'failed'`,

  // Only what the schedule delivered ends a row of failures.
  `drop index deliveries_last_delivered`,
  `create index deliveries_last_delivered on deliveries (webhook_id, delivered_at)
    where delivered_at is not null and trigger <> 'test' and not is_delivered_manually`,
  `create index deliveries_failed on deliveries (webhook_id, failed_at)
    where failed_at is not null`,
  `create index deliveries_by_replay on deliveries (replay_id, status)
    where replay_id is not null`,

  // Few among many: their list must not walk past all the real ones.
  `create index events_of_tests on events (project_id, id) where is_test`,

  // One index for all that waits: what is unclaimed has no batch, and is found webhook by webhook.
  `drop index deliveries_unclaimed`,
  `drop index deliveries_by_batch`,
  `drop index deliveries_unfinished`,
  `create index deliveries_waiting on deliveries (batch_id, webhook_id, id)
    where status = 'pending' or status = 'retrying'`,

  // Written with every event and every attempt, so they carry no more than they need.
  `alter table events drop constraint events_project_id_fkey`,
  `alter table changes drop constraint changes_pkey`,
  `drop index changes_in_order`,
  `drop index changes_by_age`,
  `alter table changes add primary key (xid, id)`,

  `create table replays (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    webhook_id ${id} not null references webhook_subscriptions on delete cascade,
    status text not null,
    since ${time} not null,
    until ${time} not null,
    statuses text[] not null,
    matched int not null,
    reopened int not null default 0,
    delivered int not null default 0,
    failed int not null default 0,
    skipped int not null default 0,
    canceled int not null default 0,
    position ${id},
    workflow_id text not null,
    created_at ${time} not null default now(),
    concluded_at ${time}
  )`,
  `create index replays_by_webhook on replays (webhook_id, id)`,
  // One at a time for each webhook, whoever asks at once.
  `create unique index replays_running on replays (webhook_id) where status = 'running'`,
];
