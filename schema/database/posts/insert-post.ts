// Inserts a post with everything that belongs to it.
import { sql } from 'kysely';
import type { CountedUsage } from '../accounts/usage.ts';
import { insertionOf } from '../live/changes.ts';
import { isEarly, type NewOutboxRow } from '../outbox.ts';
import { prepareWrite } from '../prepared.ts';
import type { PostRow, Writer } from '../tables.ts';
import { insertionOfResults, toNewRows, type NewPost, type NewResult } from './new-rows.ts';
import { earlierSame, sameSince } from './same-content.ts';

/** What the insertion of a post found. */
export interface Inserted {
  /** Usage that counts the results of the post. The transaction has locked it. */
  usages: CountedUsage[];
  /** Accounts that were given the same content lately. */
  repeated: string[];
}

/**
 * Inserts a post with its results, its change and the outbox row of its workflow, and counts the results
 * that have a `usage_month`. One statement saves round trips to Postgres for every post.
 */
export async function insertPost(
  writer: Writer,
  post: NewPost,
  results: NewResult[],
  asked?: NewOutboxRow,
): Promise<Inserted> {
  const { media, metadata, ...row } = toNewRows(post, results).post;
  const [inserted] = await insertRows(writer, {
    ...row,
    media: JSON.stringify(media),
    metadata: JSON.stringify(metadata),
    results: JSON.stringify(results),
    asked: JSON.stringify(asked ? [asked] : []),
    sameSince: sameSince(),
  });
  if (asked) writer.notifyAfterCommit('fanfare_outbox');
  return inserted!;
}

interface GivenRows extends Omit<PostRow, 'media' | 'metadata'> {
  media: string;
  metadata: string;
  results: string;
  asked: string;
  sameSince: string;
}

const insertRows = prepareWrite<GivenRows, Inserted>('insert_post', (given, writer) => {
  const { project_id, id: subject_id } = given;
  const created = { project_id, subject: 'post', subject_id, kind: 'created' } as const;
  return sql`
    with post as (
      insert into posts (id, project_id, environment, caption, status, scheduled_at, publish_by,
        due_at, run_due_at, media, auto_fit, metadata, current_run, workflow_id, created_at,
        progressed_at, updated_at)
      values (${given.id}, ${project_id}, ${given.environment}, ${given.caption}, ${given.status},
        ${given.scheduled_at}, ${given.publish_by}, ${given.due_at}, ${given.run_due_at},
        ${given.media}, ${given.auto_fit}, ${given.metadata}, ${given.current_run},
        ${given.workflow_id}, ${given.created_at}, ${given.progressed_at}, ${given.updated_at})
      returning id, created_at
    ), result as (
      ${insertionOfResults(given.results, sql`post`)}
      returning id, project_id, social_account_id, content_hash, usage_month
    ), asked as (
      insert into outbox (id, project_id, workflow, workflow_id, input, start_at, is_early)
      select id, project_id, workflow, workflow_id, input::jsonb, start_at, ${isEarly(sql.ref('start_at'))}
      from jsonb_to_recordset(${given.asked}::jsonb) as asked (id text, project_id text,
        workflow text, workflow_id text, input text, start_at timestamptz)
    ), change as (
      ${insertionOf(writer, created)}
    ), counted as (
      insert into account_usage as u (social_account_id, month, published)
      select social_account_id, usage_month, count(*) from result
      where usage_month is not null
      group by social_account_id, usage_month order by social_account_id, usage_month
      on conflict (social_account_id, month) do update set published = u.published + excluded.published
      returning u.*, (select monthly_posts_per_account from projects where id = ${project_id})
        as project_limit
    )
    select (select coalesce(json_agg(counted order by social_account_id), '[]') from counted) as usages,
      array(select result.social_account_id from result, ${earlierSame('result', given.sameSince)})
        as repeated
    from post`;
});
