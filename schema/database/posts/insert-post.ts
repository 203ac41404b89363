// Inserts a post with everything that belongs to it.
import { sql, type RawBuilder } from 'kysely';
import { isNotable, type CountedUsage } from '../accounts/usage.ts';
import { insertionOfKey, type NewKey } from '../idempotency-keys.ts';
import { insertionOf } from '../live/changes.ts';
import { insertionOfAsked, type NewOutboxRow } from '../outbox.ts';
import { prepareWrite } from '../prepared.ts';
import type { PostRow, Writer } from '../tables.ts';
import { insertionOfResults, toNewPost, type NewPost, type NewResult } from './new-rows.ts';
import { earlierSame, sameSince } from './same-content.ts';

export interface InsertionOptions {
  /** The outbox row of the post's workflow. */
  asked?: NewOutboxRow | undefined;
  /** The request's idempotency key with its answer. */
  key?: NewKey | undefined;
  /**
   * The installation's monthly limit of an account; 0: none. Throws an error that `isUndone` recognizes if an
   * account reaches its limit, or if a warning of that is due. Default: `usages` are returned.
   */
  monthlyLimit?: number;
}

/** What the insertion of a post found. */
export interface Inserted {
  /** Usage that counts the results of the post. The transaction has locked it. Null with `monthlyLimit`. */
  usages: CountedUsage[] | null;
  /** Accounts that were given the same content lately. */
  repeated: string[];
}

/** The idempotency key is kept already, so nothing was inserted. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** Whether the statement was undone, because an event or an error is due. */
export const isUndone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FF001';

/**
 * Inserts a post with its results, its change, the outbox row of its workflow and the request's key, and
 * counts the results that have a `usage_month`. One statement saves round trips to Postgres for every post.
 */
export async function insertPost(
  writer: Writer,
  post: NewPost,
  results: NewResult[],
  { asked, key, monthlyLimit }: InsertionOptions = {},
): Promise<Inserted> {
  const { media, metadata, schedule, created_by, ...row } = toNewPost(post, results);
  const given = {
    ...row,
    media: JSON.stringify(media),
    metadata: JSON.stringify(metadata),
    schedule: schedule && JSON.stringify(schedule),
    created_by: created_by && JSON.stringify(created_by),
    results: JSON.stringify(results),
    asked: JSON.stringify(asked ? [asked] : []),
    monthlyLimit: monthlyLimit ?? null,
  };
  const [inserted] = key
    ? await insertWithKey(writer, { ...given, ...toKeyMembers(key) })
    : await insertWithoutKey(writer, { ...given, sameSince: sameSince() });
  if (!inserted) throw new KeyTaken();
  if (asked) writer.notifyAfterCommit('fanfare_outbox');
  return inserted;
}

interface GivenRows extends Omit<PostRow, 'media' | 'metadata' | 'schedule' | 'created_by'> {
  media: string;
  metadata: string;
  schedule: string | null;
  created_by: string | null;
  results: string;
  asked: string;
  monthlyLimit: number | null;
}

/** The members of a key, beside those of a post. */
type KeyMembers = { [Name in keyof NewKey as `key_${Name}`]: NewKey[Name] };

function toKeyMembers(key: NewKey): KeyMembers {
  const members = Object.entries(key).map(([name, value]) => [`key_${name}`, value]);
  return Object.fromEntries(members) as KeyMembers;
}

const insertWithKey = prepareWrite<GivenRows & KeyMembers, Inserted>(
  'insert_post_with_key',
  (given, writer) => {
    const key = insertionOfKey({
      project_id: given.key_project_id,
      key: given.key_key,
      fingerprint: given.key_fingerprint,
      environment: given.key_environment,
      scopes: given.key_scopes,
      status: given.key_status,
      answer: given.key_answer,
      answer_key_id: given.key_answer_key_id,
      only_for_key: given.key_only_for_key,
    });
    const repeated = sql`'{}'::text[]`;
    return insertion(given, writer, {
      first: sql`key as (${key}),`,
      from: sql`from key`,
      repeated,
    });
  },
);

/** Only a request without a key looks for the same content. */
const insertWithoutKey = prepareWrite<GivenRows & { sameSince: string }, Inserted>(
  'insert_post',
  (given, writer) => {
    const same = earlierSame('result', given.sameSince);
    const repeated = sql`array(select result.social_account_id from result, ${same})`;
    return insertion(given, writer, { first: sql``, from: sql``, repeated });
  },
);

interface Parts {
  /** A part of the statement that runs before the others. */
  first: RawBuilder<unknown>;
  /** Has a row if the post is to be inserted. */
  from: RawBuilder<unknown>;
  repeated: RawBuilder<unknown>;
}

/** Everything else is inserted if the post is, because it reads what the post's insertion returns. */
function insertion(
  given: GivenRows,
  writer: Pick<Writer, 'notifyAfterCommit'>,
  { first, from, repeated }: Parts,
): RawBuilder<Inserted> {
  return sql`
    with ${first} post as (
      insert into posts (id, project_id, environment, caption, status, scheduled_at, schedule,
        publish_by, queue_id, due_at, run_due_at, media, auto_fit, metadata, labels, created_by,
        current_run, workflow_id, created_at, progressed_at, updated_at)
      select ${given.id}, ${given.project_id}, ${given.environment}, ${given.caption},
        ${given.status}, ${given.scheduled_at}::timestamptz, ${given.schedule}::jsonb,
        ${given.publish_by}::timestamptz, ${given.queue_id}, ${given.due_at}::timestamptz,
        ${given.run_due_at}::timestamptz, ${given.media}::jsonb, ${given.auto_fit}::boolean,
        ${given.metadata}::jsonb, ${given.labels}::text[], ${given.created_by}::jsonb,
        ${given.current_run}::int, ${given.workflow_id}, ${given.created_at}::timestamptz,
        ${given.progressed_at}::timestamptz, ${given.updated_at}::timestamptz
      ${from}
      returning id, created_at, created_by
    ), result as (
      ${insertionOfResults(given.results, sql`post`)}
      returning id, project_id, social_account_id, content_hash, usage_month
    ), asked as (
      ${insertionOfAsked(given.asked, sql`post`)}
    ), change as (
      ${insertionOf(writer, { subject: 'post', kind: 'created', project_id: given.project_id, actor: sql`created_by`, from: sql`post` })}
    ), counted as (
      insert into account_usage as u (social_account_id, month, published)
      select social_account_id, usage_month, count(*) from result
      where usage_month is not null
      group by social_account_id, usage_month order by social_account_id, usage_month
      on conflict (social_account_id, month) do update set published = u.published + excluded.published
      returning u.*, (select monthly_posts_per_account from projects where id = ${given.project_id})
        as project_limit
    )
    select case
        when ${given.monthlyLimit}::int is null
          then (select coalesce(json_agg(counted order by social_account_id), '[]') from counted)
        when exists (select from counted where ${isNotable(given.monthlyLimit)}) then undo_statement()
      end as usages,
      ${repeated} as repeated
    from post`;
}
