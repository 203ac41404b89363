// What the engine needs: threads and comments, rate limits that workers share, quotas, pauses.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const id = 'text collate "C"';
const time = 'timestamptz(3)';

const statements = [
  `alter table post_results
    add column kind text not null default 'post',
    add column answers_result_id ${id} references post_results on delete cascade,
    add column thread_position int,
    add column in_reply_to text,
    add column media_urls text[],
    add column usage_month text,
    add column is_paused boolean not null default false`,
  `create index post_results_by_answered on post_results (answers_result_id)
    where answers_result_id is not null`,
  `create index post_results_paused on post_results (post_id) where is_paused`,

  `create table rate_limits (
    key text primary key,
    next_free_at ${time},
    blocked_until ${time}
  )`,

  `create table account_usage (
    social_account_id ${id} references social_accounts on delete cascade,
    month text,
    published int not null default 0,
    warned_at ${time},
    exceeded_at ${time},
    primary key (social_account_id, month)
  )`,

  `create table sending_pauses (
    scope text primary key,
    created_at ${time} not null default now()
  )`,

  `alter table sandbox_posts
    add column reply_to ${id},
    add column media_urls text[] not null default '{}',
    add column is_hidden boolean not null default false`,
  `create index sandbox_posts_by_answered on sandbox_posts (reply_to) where reply_to is not null`,
];
