// Changes that clients make to a post and its results, in a transaction that has locked them.
import { sql, type RawBuilder, type UpdateObject } from 'kysely';
import { notFound } from '../../wire/errors.ts';
import type {
  ClockState,
  Database,
  MediaItem,
  PostResultRow,
  PostRow,
  Transaction,
} from '../tables.ts';
import { deadlineOfPost, isOpenRow, mustCheck, wasDueBeforeRestore } from './targets.ts';
import { environmentOfTargets, insertionOfResults, type NewResult } from './new-rows.ts';
import { listResults, type PostWithResults } from './posts.ts';
import { emptyState } from './provider-state.ts';
import { inScope, isInScope, updateOfProject, type RowScope } from '../row-scope.ts';

/** Doesn't lock posts that the caller can't see. */
export async function lockPostWithResults(
  trx: Transaction,
  scope: RowScope,
  id: string,
): Promise<PostWithResults> {
  const post = await lockPostAfterResults(trx, id, inScope(scope, 'posts'));
  // The post's environment may have changed while this transaction waited for the lock.
  if (!post || !isInScope(scope, post)) throw notFound('post', id);
  return { post, results: await listResults(trx, scope.projectId, [id]) };
}

/** Whether the deadline has passed, so that unsent targets of the post would fail. */
export async function hasPassedDeadline(trx: Transaction, { id }: PostRow): Promise<boolean> {
  const { rows } = await sql<{ has_passed: boolean }>`
    select coalesce(${deadlineOfPost('posts')} <= now(), false) as has_passed from posts
    where id = ${id}`.execute(trx);
  return rows[0]!.has_passed;
}

export async function lockPostAfterResults(
  trx: Transaction,
  id: string,
  isVisible?: RawBuilder<boolean>,
): Promise<PostRow | undefined> {
  const [post] = await lockPostsAfterResults(trx, [id], isVisible);
  return post;
}

/**
 * Locks the results before the posts, in the order in which the engine writes them. An advisory lock for each
 * post comes first. Without the advisory lock, a transaction that waits while another one replaces the results
 * would miss the new results.
 */
export async function lockPostsAfterResults(
  trx: Transaction,
  ids: readonly string[],
  isVisible = sql<boolean>`true`,
): Promise<PostRow[]> {
  const { rows } = await sql<{ id: string }>`
    select id, pg_advisory_xact_lock(hashtextextended(id, 0)) from (
      select id from posts where id = any(${ids}::text[]) and ${isVisible} order by id
    ) as named`.execute(trx);
  if (rows.length === 0) return [];
  const found = rows.map(({ id }) => id);
  await trx
    .selectFrom('post_results')
    .select('id')
    .where('post_id', 'in', found)
    .orderBy('id')
    .forUpdate()
    .execute();
  return trx
    .selectFrom('posts')
    .selectAll()
    .where('id', 'in', found)
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function setPost(
  trx: Transaction,
  projectId: string,
  id: string,
  changes: Omit<UpdateObject<Database, 'posts'>, 'id' | 'progressed_at'>,
): Promise<void> {
  await updateOfProject(trx, projectId, 'posts', id)
    .set({ ...changes, progressed_at: sql<Date>`now()` })
    .execute();
}

/** Deletes the post with its results and their attempts. Its events stay. */
export async function deletePostRow(
  trx: Transaction,
  projectId: string,
  id: string,
): Promise<void> {
  await trx.deleteFrom('posts').where('project_id', '=', projectId).where('id', '=', id).execute();
}

export async function replaceResults(
  trx: Transaction,
  projectId: string,
  postId: string,
  results: NewResult[],
): Promise<void> {
  const deleted = await trx
    .deleteFrom('post_results')
    .where('project_id', '=', projectId)
    .where('post_id', '=', postId)
    .returning('revision')
    .execute();
  if (results.length > 0) await insertionOfResults(JSON.stringify(results)).execute(trx);
  // The revisions of the deleted results still count in the post's revision.
  const kept = deleted.reduce((sum, { revision }) => sum + revision, 1);
  await setPost(trx, projectId, postId, {
    // A draft without targets stays in its environment.
    ...(results.length > 0 && { environment: environmentOfTargets(results) }),
    revision: sql<number>`revision + ${kept}::int`,
    updated_at: sql<Date>`now()`,
  });
}

/** Replaces the steps of a post. Its targets and comments stay. */
export async function replaceStepRows(
  trx: Transaction,
  projectId: string,
  postId: string,
  steps: NewResult[],
): Promise<void> {
  const deleted = await trx
    .deleteFrom('post_results')
    .where('project_id', '=', projectId)
    .where('post_id', '=', postId)
    .where('kind', '=', 'step')
    .returning('revision')
    .execute();
  if (steps.length > 0) await insertionOfResults(JSON.stringify(steps)).execute(trx);
  if (deleted.length === 0) return;
  // The revisions of the deleted steps still count in the post's revision.
  const kept = deleted.reduce((sum, { revision }) => sum + revision, 1);
  await setPost(trx, projectId, postId, { revision: sql<number>`revision + ${kept}::int` });
}

/** Call it when the content of the post changes, so that the post no longer counts as a repeat. */
export async function clearContentHashes(
  trx: Transaction,
  projectId: string,
  postId: string,
): Promise<void> {
  await trx
    .updateTable('post_results')
    .set({ content_hash: null })
    .where('project_id', '=', projectId)
    .where('post_id', '=', postId)
    .where('content_hash', 'is not', null)
    .execute();
}

/** Defaults of a target's account. */
export interface CopiedOptions {
  /** ID of the result. */
  id: string;
  options: Record<string, unknown>;
}

export async function setDefaultOptions(
  trx: Transaction,
  projectId: string,
  copies: readonly CopiedOptions[],
): Promise<void> {
  await sql`
    update post_results r set default_options = copy.options
    from jsonb_to_recordset(${JSON.stringify(copies)}::jsonb) as copy (id text, options jsonb)
    where r.project_id = ${projectId} and r.id = copy.id`.execute(trx);
}

/** Removes the copied defaults from all targets of the post. */
export async function clearDefaultOptions(
  trx: Transaction,
  projectId: string,
  postId: string,
): Promise<void> {
  await trx
    .updateTable('post_results')
    .set({ default_options: null })
    .where('project_id', '=', projectId)
    .where('post_id', '=', postId)
    .execute();
}

export async function setResultMedia(
  trx: Transaction,
  projectId: string,
  resultId: string,
  media: MediaItem[],
): Promise<void> {
  await updateOfProject(trx, projectId, 'post_results', resultId)
    .set({ media: JSON.stringify(media) })
    .execute();
}

/**
 * Cancels the open targets that have not begun their commit, or whose commits are known to have failed,
 * each with its comment. Comments of other targets continue, since those targets are or may be public.
 * Returns the ids of the canceled results.
 */
export async function cancelResults(
  trx: Transaction,
  projectId: string,
  postId: string,
): Promise<string[]> {
  const canceled = await trx
    .updateTable('post_results as r')
    .set({ status: 'canceled', next_attempt_at: null, is_paused: false, ...emptyState })
    .where('project_id', '=', projectId)
    .where('post_id', '=', postId)
    .where(canBeStopped('r'))
    .where(
      sql<boolean>`(kind = 'post' or exists (
        select from post_results as target
        where target.id = r.answers_result_id and ${canBeStopped('target')}))`,
    )
    .returning('r.id')
    .execute();
  return canceled.map((row) => row.id);
}

/**
 * False while a reconciliation runs, or while a check after a restore is due, because the post may be public.
 */
function canBeStopped(row: string) {
  const column = (name: string) => sql.ref(`${row}.${name}`);
  return sql<boolean>`${isOpenRow(row)} and (
    ${column('phase')} = 'prepare' or (
      ${column('phase')} = 'commit' and ${column('phase_state')} = 'ready'
      and ${column('clock')} -> 'reconcileChecks' is null
    )
  ) and not exists (
    select from posts
    where id = ${column('post_id')} and ${mustCheck(row, 'posts')} and ${wasDueBeforeRestore('posts')}
  )`;
}

/**
 * Restarts a failed target or comment with a fresh clock. If its outcome is unknown, the network is checked
 * first. The skipped step number stops executions of an earlier run.
 */
export async function reopenResult(
  trx: Transaction,
  projectId: string,
  { id, error_code, clock }: PostResultRow,
): Promise<void> {
  const start =
    error_code === 'outcome_unknown'
      ? ({
          phase: 'reconcile',
          clock: JSON.stringify({
            reconcileChecks: 1,
            hasLostCommit: true,
            ...(clock.check && { check: { ...clock.check, isRetry: true } }),
          } satisfies ClockState),
        } as const)
      : ({ phase: 'prepare', clock: '{}', ...emptyState } as const);
  await updateOfProject(trx, projectId, 'post_results', id)
    .set({
      ...start,
      phase_state: 'ready',
      steps: sql<number>`steps + 1`,
      status: 'pending',
      error_code: null,
      error_message: null,
      failure_stage: null,
      platform_error_code: null,
      provider_error: null,
      is_retriable: false,
      next_action: 'none',
      next_attempt_at: null,
      is_paused: false,
    })
    .execute();
}
