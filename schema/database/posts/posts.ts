// Posts and their results in Postgres.
import { sql, type Insertable } from 'kysely';
import { environmentOf, type KeyEnvironment } from '../../api-keys.ts';
import type { ChangeKind } from '../../change-kinds.ts';
import { notFound } from '../../wire/errors.ts';
import { isOnPage, weigh, type Weight } from '../listing.ts';
import type { Slice } from '../../wire/listing.ts';
import type { PlatformName } from '../../platforms/index.ts';
import type { ListPosts, PostStatus } from '../../posts/posts.ts';
import { isEarly, type NewOutboxRow } from '../outbox.ts';
import { inScope, selectInScope, type RowScope } from '../row-scope.ts';
import { insertionOf } from '../live/changes.ts';
import type { CountedUsage } from '../accounts/usage.ts';
import { changesOf, type ShownChange } from './result-changes.ts';
import { earlierSame } from './same-content.ts';
import { executePrepared } from '../prepared.ts';
import type { Database, Db, PostResultRow, PostRow, Transaction } from '../tables.ts';

export interface PostWithResults {
  post: PostRow;
  results: ResultRow[];
}

/** A result with its last changes, oldest first. */
export interface ResultRow extends PostResultRow {
  changes: ShownChange[];
}

/** A post that was just inserted. */
export interface InsertedPost extends PostWithResults {
  /** Usage that counts the results of the post. The transaction has locked it. */
  usages: CountedUsage[];
  /** Accounts that were given the same content lately. */
  repeated: string[];
}

export type PostFilters = Omit<ListPosts, 'limit' | 'cursor'>;

type NewPost = Pick<
  Insertable<Database['posts']>,
  | 'id'
  | 'project_id'
  | 'caption'
  | 'status'
  | 'scheduled_at'
  | 'publish_by'
  | 'media'
  | 'auto_fit'
  | 'metadata'
  | 'current_run'
  | 'workflow_id'
>;

type NewResult = Pick<
  Insertable<Database['post_results']>,
  | 'id'
  | 'post_id'
  | 'project_id'
  | 'position'
  | 'social_account_id'
  | 'platform'
  | 'account_name'
  | 'caption'
  | 'kind'
  | 'step'
  | 'answers_result_id'
  | 'thread_position'
  | 'in_reply_to'
  | 'media'
  | 'content_hash'
  | 'platform_options'
  | 'default_options'
  | 'usage_month'
  | 'status'
  | 'phase'
  | 'phase_state'
>;

/**
 * Inserts a post with its results, its change and the outbox row of its workflow, and counts the results
 * that have a `usage_month`. One statement saves round trips to Postgres for every post.
 */
export async function insertPost(
  trx: Transaction,
  post: NewPost,
  results: NewResult[],
  asked?: NewOutboxRow,
): Promise<InsertedPost> {
  const { project_id, id: subject_id } = post;
  const created = { project_id, subject: 'post', subject_id, kind: 'created' } as const;
  const statement = sql<PostRow & Omit<InsertedPost, 'post'>>`
    with post as (
      insert into posts (id, project_id, environment, caption, status, scheduled_at, publish_by,
        due_at, run_due_at, media, auto_fit, metadata, current_run, workflow_id)
      values (${post.id}, ${post.project_id}, ${environmentOfTargets(results)}, ${post.caption},
        ${post.status}, ${post.scheduled_at}, ${post.publish_by},
        case when ${post.status} <> 'draft' then coalesce(${post.scheduled_at}, now()) end,
        coalesce(${post.scheduled_at}, now()),
        ${post.media ?? '[]'}, ${post.auto_fit ?? true}, ${post.metadata ?? '{}'}, ${post.current_run ?? 0},
        ${post.workflow_id})
      returning *
    ), result as (
      insert into post_results (id, post_id, project_id, position, social_account_id, platform,
        account_name, caption, kind, step, answers_result_id, thread_position, in_reply_to, media,
        content_hash, platform_options, default_options, usage_month, status, phase, phase_state)
      select id, post_id, project_id, position, social_account_id, platform, account_name, caption,
        coalesce(kind, 'post'), step, answers_result_id, thread_position, in_reply_to, media::jsonb,
        content_hash::bytea, coalesce(platform_options, '{}')::jsonb, default_options::jsonb,
        usage_month, status, phase, phase_state
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as target (id text, post_id text,
        project_id text, position int, social_account_id text, platform text, account_name text,
        caption text, kind text, step text, answers_result_id text, thread_position int, in_reply_to text,
        media text, content_hash text, platform_options text, default_options text,
        usage_month text, status text, phase text, phase_state text)
      returning *
    ), asked as (
      insert into outbox (id, project_id, workflow, workflow_id, input, start_at, is_early)
      select id, project_id, workflow, workflow_id, input::jsonb, start_at, ${isEarly(sql.ref('start_at'))}
      from jsonb_to_recordset(${JSON.stringify(asked ? [asked] : [])}::jsonb) as asked (id text,
        project_id text, workflow text, workflow_id text, input text, start_at timestamptz)
    ), change as (
      ${insertionOf(trx, created)}
    ), counted as (
      insert into account_usage as u (social_account_id, month, published)
      select social_account_id, usage_month, count(*) from result
      where usage_month is not null
      group by social_account_id, usage_month order by social_account_id, usage_month
      on conflict (social_account_id, month) do update set published = u.published + excluded.published
      returning u.*, (select monthly_posts_per_account from projects where id = ${post.project_id})
        as project_limit
    )
    select post.*, (select json_agg(result order by position) from result) as results,
      (select coalesce(json_agg(counted order by social_account_id), '[]') from counted) as usages,
      array(select result.social_account_id from result, ${earlierSame('result')}) as repeated
    from post`;
  const [inserted] = await executePrepared(trx, 'insert_post', statement);
  if (asked) trx.notifyAfterCommit('fanfare_outbox');
  const { results: written, usages, repeated, ...row } = inserted!;
  // JSON turns times into text. The only time of a new result is `updated_at`.
  const { updated_at } = row;
  const shown = written.map((one) => ({ ...one, updated_at, changes: [] }));
  return { post: row, results: shown, usages, repeated };
}

/** `test` only if every target is a test target, since test keys must not see other targets. */
export function environmentOfTargets(targets: { platform: PlatformName }[]): KeyEnvironment {
  const isTest = targets.every(({ platform }) => environmentOf(platform) === 'test');
  return isTest ? 'test' : 'production';
}

export async function getPostRow(db: Db, scope: RowScope, id: string): Promise<PostWithResults> {
  const post = await selectInScope(db, scope, 'posts')
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('post', id));
  return { post, results: await listResults(db, scope.projectId, [id]) };
}

export async function listPostsById(
  db: Db,
  scope: RowScope,
  ids: string[],
): Promise<PostWithResults[]> {
  if (ids.length === 0) return [];
  const posts = await selectInScope(db, scope, 'posts').where('id', 'in', ids).execute();
  const found = posts.map(({ id }) => id);
  const results = Map.groupBy(
    await listResults(db, scope.projectId, found),
    (result) => result.post_id,
  );
  return posts.map((post) => ({ post, results: results.get(post.id) ?? [] }));
}

/** Results of these posts, in the order of each post's targets. */
export async function listResults(
  db: Db,
  projectId: string,
  postIds: string[],
): Promise<ResultRow[]> {
  if (postIds.length === 0) return [];
  return db
    .selectFrom('post_results')
    .selectAll()
    .select(changesOf('post_results').as('changes'))
    .where('project_id', '=', projectId)
    .where('post_id', 'in', postIds)
    .orderBy('post_id')
    .orderBy('position')
    .execute();
}

export async function listPostIdsOfResults(
  db: Db,
  projectId: string,
  resultIds: string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('post_results')
    .select('post_id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('id', 'in', resultIds)
    .execute();
  return rows.map(({ post_id }) => post_id);
}

export async function listPostRows(
  db: Db,
  scope: RowScope,
  filters: PostFilters,
  { limit, before }: Slice,
): Promise<(PostRow & Weight)[]> {
  let query = selectInScope(db, scope, 'posts').select(weigh(postBytes, 'posts.id'));
  const { status, from, to, platform, social_account_id, external_user_id } = filters;
  if (before !== undefined) query = query.where('id', '<', before);
  if (status !== undefined) query = query.where('status', '=', status);
  if (from !== undefined) query = query.where('created_at', '>=', new Date(from));
  if (to !== undefined) query = query.where('created_at', '<', new Date(to));
  if ([platform, social_account_id, external_user_id].some((filter) => filter !== undefined)) {
    query = query.where((eb) => {
      let target = eb
        .selectFrom('post_results')
        .select('post_results.id')
        .whereRef('post_results.post_id', '=', 'posts.id');
      if (platform !== undefined) {
        target = target.where('post_results.platform', '=', platform);
      }
      if (social_account_id !== undefined) {
        target = target.where('social_account_id', '=', social_account_id);
      }
      if (external_user_id !== undefined) {
        target = target
          .innerJoin('social_accounts', 'social_accounts.id', 'post_results.social_account_id')
          .where(inScope(scope, 'social_accounts'))
          .where('social_accounts.external_user_id', '=', external_user_id);
      }
      return eb.exists(target);
    });
  }
  const page = query.orderBy('id', 'desc').limit(limit).as('page');
  return db.selectFrom(page).selectAll().where(isOnPage).orderBy('id', 'desc').execute();
}

/** SQL: size of the texts of a post and of its targets. */
const postBytes = sql<number>`octet_length(posts.caption) + coalesce((
  select sum(coalesce(octet_length(caption), 0) + octet_length(platform_options::text)
    + coalesce(octet_length(default_options::text), 0))
  from post_results where post_id = posts.id
), 0)::int`;

export async function lockPost(trx: Transaction, id: string): Promise<PostRow | undefined> {
  const statement = trx.selectFrom('posts').selectAll().where('id', '=', id).forUpdate();
  const [post] = await executePrepared(trx, 'lock_post', statement);
  return post;
}

/** In the order of their IDs. Leaves out posts that are locked. */
export function lockFreePosts(trx: Transaction, ids: string[]): Promise<PostRow[]> {
  const posts = trx
    .selectFrom('posts')
    .selectAll()
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .orderBy('id')
    .forUpdate()
    .skipLocked();
  return executePrepared(trx, 'lock_free_posts', posts);
}

/** Ends the current run of a post that `trx` has locked. Returns the columns that the database computes. */
export async function setConcluded(
  trx: Transaction,
  { id, project_id, current_run }: PostRow,
  { status, published_at }: { status: PostStatus & ChangeKind<'post'>; published_at: Date | null },
): Promise<Pick<PostRow, 'revision' | 'updated_at'>> {
  const statement = sql<Pick<PostRow, 'revision' | 'updated_at'>>`
    with change as (
      ${insertionOf(trx, { project_id, subject: 'post', subject_id: id, kind: status })}
    )
    update posts
    set status = ${status}, published_at = ${published_at}, concluded_run = ${current_run},
      progressed_at = now()
    where id = ${id}
    returning revision, updated_at`;
  const [written] = await executePrepared(trx, 'set_concluded', statement);
  return written!;
}
