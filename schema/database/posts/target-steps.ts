// One target's way through its phases in Postgres: begun before the call, ended after it.
import { sql, type RawBuilder } from 'kysely';
import type { AttemptOutcome } from '../../posts/attempts.ts';
import type { PostingErrorCode } from '../../posts/errors.ts';
import type { FailureStage, NextAction, Phase } from '../../posts/posts.ts';
import { giveBackUsage } from '../accounts/usage.ts';
import { inMs } from '../ago.ts';
import { insertChanges } from '../live/changes.ts';
import type { ClockState, Db, Transaction } from '../tables.ts';
import { isOpenRow } from './open-results.ts';
import type { TargetRow } from './targets.ts';

/**
 * Notes that a phase's call is about to be sent, in one statement. False: another execution was here
 * since `row` was read, and this one must read again. A crash after this leaves `begun`, which
 * reconcile resolves.
 */
export async function beginPhase(db: Db, row: TargetRow, phase: Phase): Promise<boolean> {
  const { rows } = await sql<{ has_begun: boolean }>`
    /* prepared: begin_phase */
    with begun as (
      update post_results
      set status = 'publishing', phase = ${phase}, phase_state = 'begun',
        steps = steps + 1, attempts = attempts + ${phase === 'commit' ? 1 : 0}::int,
        next_attempt_at = null, is_paused = false, begun_at = now(), heartbeat_at = now()
      where id = ${row.id} and steps = ${row.steps} and ${isOpenRow('post_results')}
      returning id
    ), attempt as (
      insert into post_attempts (result_id, number, run, phase, started_at, outcome)
      select id, ${row.steps + 1}, ${row.current_run}, ${phase}, now(), 'begun' from begun
    ), change as (
      insert into changes (project_id, subject, subject_id, kind)
      select ${row.project_id}, 'post', ${row.post_id}, 'result.publishing'
      from begun where ${row.status === 'pending'}
    ), progress as (
      update posts set progressed_at = now()
      where id = ${row.post_id} and exists (select from begun) and ${row.status === 'pending'}
    )
    select exists (select from begun) as has_begun`.execute(db);
  return rows[0]!.has_begun;
}

/** A call in flight: its result and its number. */
export type BegunCall = Pick<TargetRow, 'id' | 'steps'>;

/** Records that the caller of these calls lives, except for calls that others have taken over. */
export async function renewHeartbeats(db: Db, calls: BegunCall[]): Promise<void> {
  await setHeartbeats(db, calls, sql`now()`);
}

/** Gives these calls up, except for calls that others have taken over. */
export async function releaseCalls(db: Db, calls: BegunCall[]): Promise<void> {
  await setHeartbeats(db, calls, sql`null`);
}

/** A row that somebody else has locked is skipped: one must not hold up the heartbeats of all. */
async function setHeartbeats(db: Db, calls: BegunCall[], value: RawBuilder<unknown>) {
  await sql`
    update post_results set heartbeat_at = ${value}
    where id in (
      select id from post_results
      join unnest(${calls.map(({ id }) => id)}::text[], ${calls.map(({ steps }) => steps)}::int[])
        as call (result_id, number) on id = result_id and steps = number
      where phase_state = 'begun' and ${isOpenRow('post_results')}
      for no key update of post_results skip locked
    )`.execute(db);
}

/** How one call to the network ended, for the attempts of the target. */
export interface CallOutcome {
  outcome: AttemptOutcome;
  durationMs: number;
  errorCode?: string | undefined;
  errorMessage?: string | undefined;
  providerError?: Record<string, unknown> | undefined;
}

export async function endAttempt(
  db: Db,
  resultId: string,
  number: number,
  call: CallOutcome,
): Promise<void> {
  await db
    .updateTable('post_attempts')
    .set({
      outcome: call.outcome,
      duration_ms: call.durationMs,
      error_code: call.errorCode ?? null,
      error_message: call.errorMessage ?? null,
      provider_error: call.providerError ? JSON.stringify(call.providerError) : null,
    })
    .where('result_id', '=', resultId)
    .where('number', '=', number)
    .execute();
}

/**
 * The target goes on: with another phase, or the same one again, at once or later. False: it wrote
 * nothing, since another execution was here after `row` was read.
 */
export async function setNextPhase(
  db: Db,
  row: TargetRow,
  next: {
    phase: Phase;
    clock: ClockState;
    /** Null: at once. */
    waitMs: number | null;
    state?: Record<string, unknown> | undefined;
  },
): Promise<boolean> {
  const changed = await db
    .updateTable('post_results')
    .set({
      phase: next.phase,
      phase_state: 'ready',
      clock: JSON.stringify(next.clock),
      next_attempt_at: next.waitMs === null ? null : inMs(next.waitMs),
      ...(row.phase === 'reconcile' &&
        next.phase !== 'reconcile' && { checked_at: sql<Date>`now()` }),
      ...(next.state ? { provider_state: JSON.stringify(next.state) } : {}),
    })
    .where('id', '=', row.id)
    .where('steps', '=', row.steps)
    .where(isOpenRow('post_results'))
    .returning('id')
    .executeTakeFirst();
  if (changed && next.waitMs !== null) await insertResultChange(db, row, 'result.waiting');
  return changed !== undefined;
}

/**
 * Ends the target and the attempt that told of it, in one statement. Whoever learns that the post is
 * public may say so, whatever others did meanwhile.
 */
export async function setPublished(
  db: Db,
  row: TargetRow,
  published: { externalId: string; url: string | null; detail?: Record<string, unknown> },
  durationMs: number,
): Promise<void> {
  await sql`
    /* prepared: set_published */
    with attempt as (
      update post_attempts
      set outcome = 'published', duration_ms = ${durationMs},
        provider_detail = ${published.detail ? JSON.stringify(published.detail) : null}::jsonb
      where result_id = ${row.id} and number = ${row.steps}
    ), published as (
      update post_results
      set status = 'published', external_id = ${published.externalId}, url = ${published.url},
        published_at = now(), next_attempt_at = null, error_code = null, error_message = null,
        failure_stage = null, platform_error_code = null, provider_error = null,
        is_retriable = false, next_action = 'none'
      where id = ${row.id} and ${isOpenRow('post_results')}
      returning id
    ), change as (
      insert into changes (project_id, subject, subject_id, kind)
      select ${row.project_id}, 'post', ${row.post_id}, 'result.published' from published
    )
    update posts set progressed_at = now()
    where id = ${row.post_id} and exists (select from published)`.execute(db);
}

export interface Failure {
  errorCode: PostingErrorCode;
  errorMessage: string;
  stage: FailureStage;
  platformErrorCode: string | null;
  providerError: Record<string, unknown> | null;
  isRetriable: boolean;
  nextAction: NextAction;
}

/**
 * Gives back what the account's usage counted for it, unless the post may be public. False: it wrote
 * nothing, since another execution was here after `row` was read.
 */
export async function setFailed(
  trx: Transaction,
  row: TargetRow,
  failure: Failure,
): Promise<boolean> {
  const changed = await trx
    .updateTable('post_results')
    .set({
      status: 'failed',
      error_code: failure.errorCode,
      error_message: failure.errorMessage,
      failure_stage: failure.stage,
      platform_error_code: failure.platformErrorCode,
      provider_error: failure.providerError && JSON.stringify(failure.providerError),
      is_retriable: failure.isRetriable,
      next_action: failure.nextAction,
      next_attempt_at: null,
    })
    .where('id', '=', row.id)
    .where(isUnchanged(row, failure))
    .where(isOpenRow('post_results'))
    .returning('id')
    .executeTakeFirst();
  if (!changed) return false;
  await insertResultChange(trx, row, 'result.failed');
  if (failure.errorCode !== 'outcome_unknown') await giveBackUsage(trx, [row.id]);
  return true;
}

/**
 * No other execution was here since. The refusal of a commit also counts while others look for its
 * post: it proves that there is none, unless a newer commit was begun.
 */
function isUnchanged(row: TargetRow, { errorCode }: Failure) {
  const isRefusal =
    row.phase === 'commit' && row.phase_state === 'begun' && errorCode !== 'outcome_unknown';
  if (!isRefusal) return sql<boolean>`steps = ${row.steps}`;
  return sql<boolean>`(steps = ${row.steps} or (phase = 'reconcile' and attempts = ${row.attempts}))`;
}

/** What happens to a result is a change of its post. */
async function insertResultChange(
  db: Db,
  row: TargetRow,
  kind: 'result.waiting' | 'result.failed',
): Promise<void> {
  await insertChanges(db, [
    {
      project_id: row.project_id,
      subject: 'post',
      subject_id: row.post_id,
      kind,
    },
  ]);
  await db
    .updateTable('posts')
    .set({ progressed_at: sql<Date>`now()` })
    .where('id', '=', row.post_id)
    .execute();
}
