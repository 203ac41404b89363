// Changes to a post and its results from outside the engine, in a transaction that holds their locks.
import { sql, type Insertable, type UpdateObject } from 'kysely';
import { notFound } from '../../wire/errors.ts';
import type { Database, PostResultRow, PostRow, Transaction } from '../tables.ts';
import { isOpenRow } from './open-results.ts';
import { environmentOfTargets, listResults, lockPost, type PostWithResults } from './posts.ts';
import { mustCheck, wasDueBeforeRestore } from './restored-at.ts';
import { isInScope, type RowScope } from '../row-scope.ts';

/** Nothing happens to the post meanwhile. */
export async function lockPostWithResults(
  trx: Transaction,
  scope: RowScope,
  id: string,
): Promise<PostWithResults> {
  const post = await lockPostAfterResults(trx, id);
  if (!post || !isInScope(scope, post)) throw notFound('post', id);
  return { post, results: await listResults(trx, [id]) };
}

/**
 * The results come first, as the engine locks: it writes a result and then its post. Before them comes
 * the turn: who waited for results that another has replaced would hold the post without those it has
 * now.
 */
export async function lockPostAfterResults(
  trx: Transaction,
  id: string,
): Promise<PostRow | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`.execute(trx);
  await trx
    .selectFrom('post_results')
    .select('id')
    .where('post_id', '=', id)
    .orderBy('id')
    .forUpdate()
    .execute();
  return lockPost(trx, id);
}

export async function setPost(
  trx: Transaction,
  id: string,
  changes: Omit<UpdateObject<Database, 'posts'>, 'id' | 'progressed_at'>,
): Promise<void> {
  await trx
    .updateTable('posts')
    .set({ ...changes, progressed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** With its results and their attempts; events about it stay. */
export async function deletePostRow(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom('posts').where('id', '=', id).execute();
}

export async function replaceResults(
  trx: Transaction,
  postId: string,
  results: Insertable<Database['post_results']>[],
): Promise<void> {
  await trx.deleteFrom('post_results').where('post_id', '=', postId).execute();
  await trx.insertInto('post_results').values(results).execute();
  await setPost(trx, postId, { environment: environmentOfTargets(results) });
}

/**
 * Of targets on their way those that have not begun their commit, and those of which it is known that
 * a commit came to nothing, each with its comment; returns their ids. Other comments go on: their
 * targets are public, or may be.
 */
export async function cancelResults(trx: Transaction, postId: string): Promise<string[]> {
  const canceled = await trx
    .updateTable('post_results as r')
    .set({ status: 'canceled', next_attempt_at: null, is_paused: false })
    .where('post_id', '=', postId)
    .where(canBeStopped('r'))
    .where((eb) =>
      eb.or([
        eb('kind', '=', 'post'),
        eb.exists(
          eb
            .selectFrom('post_results as target')
            .select('target.id')
            .whereRef('target.id', '=', 'r.answers_result_id')
            .where(canBeStopped('target')),
        ),
      ]),
    )
    .returning('r.id')
    .execute();
  return canceled.map((row) => row.id);
}

/**
 * A round of looks for an earlier commit that is not over: it may have made the post public. So may what
 * was done before a restore.
 */
function canBeStopped(row: string) {
  const column = (name: string) => sql.ref(`${row}.${name}`);
  return sql<boolean>`${isOpenRow(row)} and (
    ${column('phase')} = 'prepare' or (
      ${column('phase')} = 'commit' and ${column('phase_state')} = 'ready'
      and ${column('clock')} -> 'reconcileLooks' is null
    )
  ) and not exists (
    select from posts
    where id = ${column('post_id')} and ${mustCheck(row, 'posts')} and ${wasDueBeforeRestore('posts')}
  )`;
}

/**
 * A failed target or comment begins anew with a fresh clock. One whose outcome is not known looks
 * first, by what is known of its last commit. The step that is left out stops whoever still acts for
 * an earlier run.
 */
export async function reopenResult(
  trx: Transaction,
  { id, error_code, clock }: PostResultRow,
): Promise<void> {
  const start =
    error_code === 'outcome_unknown'
      ? ({
          phase: 'reconcile',
          clock: JSON.stringify({ reconcileLooks: 1, ...(clock.check && { check: clock.check }) }),
        } as const)
      : ({ phase: 'prepare', clock: '{}', provider_state: '{}' } as const);
  await trx
    .updateTable('post_results')
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
    .where('id', '=', id)
    .execute();
}
