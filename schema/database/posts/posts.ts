// Posts and their results in Postgres.
import { sql } from 'kysely';
import type { Actor } from '../../wire/actors.ts';
import type { ChangeKind } from '../../change-kinds.ts';
import { notFound } from '../../wire/errors.ts';
import type { PostStatus } from '../../posts/posts.ts';
import { selectInScope, type RowScope } from '../row-scope.ts';
import { insertionOf } from '../live/changes.ts';
import { changesOf, type ShownChange } from './after-publishing/result-changes.ts';
import { executePrepared, wholeTables } from '../prepared.ts';
import type { Db, PostResultRow, PostRow, Transaction } from '../tables.ts';

export interface PostWithResults {
  post: PostRow;
  results: ResultRow[];
}

/** A result with its last changes, oldest first. */
export interface ResultRow extends PostResultRow {
  changes: ShownChange[];
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
  return addResults(db, scope.projectId, posts);
}

export async function addResults(
  db: Db,
  projectId: string,
  posts: readonly PostRow[],
): Promise<PostWithResults[]> {
  const ids = posts.map(({ id }) => id);
  const results = Map.groupBy(await listResults(db, projectId, ids), ({ post_id }) => post_id);
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

export async function lockPost(trx: Transaction, id: string): Promise<PostRow | undefined> {
  const statement = trx
    .selectFrom('posts')
    .select(wholeTables.posts)
    .where('id', '=', id)
    .forUpdate();
  const [post] = await executePrepared(trx, 'lock_post', statement);
  return post;
}

/** In the order of their IDs. Leaves out posts that are locked. */
export function lockFreePosts(trx: Transaction, ids: string[]): Promise<PostRow[]> {
  const posts = trx
    .selectFrom('posts')
    .select(wholeTables.posts)
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .orderBy('id')
    .forUpdate()
    .skipLocked();
  return executePrepared(trx, 'lock_free_posts', posts);
}

export interface Conclusion {
  status: PostStatus & ChangeKind<'post'>;
  published_at: Date | null;
  /** Who has ended the run. Null: Fanfare itself. */
  actor: Actor | null;
}

/** Ends the current run of a post that `trx` has locked. Returns the columns that the database computes. */
export async function setConcluded(
  trx: Transaction,
  { id, project_id, current_run }: PostRow,
  { status, published_at, actor }: Conclusion,
): Promise<Pick<PostRow, 'revision' | 'updated_at'>> {
  const statement = sql<Pick<PostRow, 'revision' | 'updated_at'>>`
    with change as (
      ${insertionOf(trx, { project_id, subject: 'post', subject_id: id, kind: status, actor: sql`${actor && JSON.stringify(actor)}::jsonb` })}
    )
    update posts
    set status = ${status}, published_at = ${published_at}, concluded_run = ${current_run},
      progressed_at = now()
    where id = ${id}
    returning revision, updated_at`;
  const [written] = await executePrepared(trx, 'set_concluded', statement);
  return written!;
}
