// Writes the steps of one target through its phases: before each call to the network, and after it.
import { sql, type RawBuilder } from 'kysely';
import type { ChangeKind } from '../../change-kinds.ts';
import type { AttemptOutcome } from '../../posts/attempts.ts';
import { postingErrors, type PostingErrorCode } from '../../posts/errors.ts';
import type { FailureStage, NextAction, Phase } from '../../posts/posts.ts';
import { giveBackUsage } from '../accounts/usage.ts';
import { insertChanges, insertionOf } from '../live/changes.ts';
import type { Notifier } from '../notifier.ts';
import { inStatement } from '../transaction.ts';
import { executePrepared } from '../prepared.ts';
import type { ClockState, Db, PostResultRow, Transaction, Writer } from '../tables.ts';
import { emptyState, type SealedState } from './provider-state.ts';
import { isOpenRow, type TargetRow } from './targets.ts';

/** A call that is about to be sent. From `deadline` on, it must not be sent; null: there is no such time. */
export interface PhaseStart {
  row: TargetRow;
  phase: Phase;
  deadline: Date | null;
}

/** `skipLocked`: leaves targets alone whose row or post is locked, and reports them as `locked`. */
interface GroupOptions {
  skipLocked: boolean;
}

/** CTE: the rows of these calls, locked in the order of their IDs. */
function lockTargets({ skipLocked }: GroupOptions): RawBuilder<unknown> {
  const ofCalls = sql`where r.id = any (array(select id from call)) order by r.id for no key update`;
  return skipLocked
    ? sql`target as materialized (
        select r.id from post_results r join posts p on p.id = r.post_id ${ofCalls} skip locked)`
    : sql`target as materialized (select r.id from post_results r ${ofCalls})`;
}

/**
 * Records that these calls are about to be sent, in one statement. False: another execution has changed the
 * row, or its deadline has passed, so the row must be read again. A crash after this write leaves `begun`,
 * which reconcile resolves. Of several calls for one target, only the first begins.
 */
export async function beginPhases(
  db: Db,
  notifier: Notifier,
  starts: readonly PhaseStart[],
  options: GroupOptions,
): Promise<(boolean | 'locked')[]> {
  const first = new Map(starts.toReversed().map((start) => [start.row.id, start]));
  const calls = [...first.values()].map(({ row, phase, deadline }) => {
    const { id, steps, current_run: run } = row;
    return { id, steps, run, phase, deadline, is_new: row.status === 'pending' };
  });
  const newTargets = sql`(
    select project_id, post_id as id, id as result_id from begun where is_new) as target`;
  const change = {
    subject: 'post',
    kind: 'result.publishing',
    result_id: sql<string>`result_id`,
    from: newTargets,
  } as const;
  const statement = (writer: Writer) => sql<{ id: string; has_begun: boolean }>`
    with call as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as t (
        id text, steps int, run int, phase text, deadline timestamptz, is_new boolean)
    ), ${lockTargets(options)}, begun as (
      update post_results r
      set status = 'publishing', phase = call.phase, phase_state = 'begun', steps = r.steps + 1,
        attempts = attempts + case call.phase when 'commit' then 1 else 0 end,
        next_attempt_at = null, is_paused = false, begun_at = now(), heartbeat_at = now()
      from call
      where r.id = any (array(select id from target)) and r.id = call.id and r.steps = call.steps
        and ${isOpenRow('r')} and coalesce(clock_timestamp() < deadline, true)
      returning r.id, r.post_id, r.project_id, r.steps, r.phase, run, is_new
    ), attempt as (
      insert into post_attempts (result_id, number, run, phase, started_at, outcome)
      select id, steps, run, phase, now(), 'begun' from begun
    ), change as (
      ${insertionOf(writer, change)}
    ), progress as (
      ${setProgress(sql`select post_id from begun where is_new`)}
    )
    select target.id, begun.id is not null as has_begun from target left join begun using (id)`;
  const name = options.skipLocked ? 'begin_phases' : 'begin_phase';
  const rows = await inStatement(db, notifier, (writer) =>
    executePrepared(writer, name, statement(writer)),
  );
  const found = new Map(rows.map(({ id, has_begun }) => [id, has_begun]));
  return starts.map((start) => {
    if (first.get(start.row.id) !== start) return false;
    return found.get(start.row.id) ?? (options.skipLocked ? 'locked' : false);
  });
}

/** `beginPhases` for one call. */
export async function beginPhase(
  db: Db,
  notifier: Notifier,
  row: TargetRow,
  phase: Phase,
  deadline: Date | null,
): Promise<boolean> {
  const start = { row, phase, deadline };
  const [hasBegun] = await beginPhases(db, notifier, [start], { skipLocked: false });
  return hasBegun === true;
}

/** SQL: records that these posts make progress. Locks them in the order of their IDs. */
const setProgress = (postIds: RawBuilder<unknown>) => sql`
  update posts set progressed_at = now() where id = any (array(
    select id from posts where id = any (array(${postIds})) order by id for no key update))`;

/** Records a change of the result if `from` contains the result's row. */
function changeOf(row: TargetRow, kind: ChangeKind<'post'>, from: RawBuilder<unknown>) {
  const subject = { subject: 'post', project_id: row.project_id, subject_id: row.post_id } as const;
  return { ...subject, kind, result_id: sql<string>`id`, from };
}

/** A call in flight: its result and its number. */
export type BegunCall = Pick<TargetRow, 'id' | 'steps'>;

/** Records that the caller of these calls is alive. Skips calls that other processes have taken over. */
export async function renewHeartbeats(db: Db, calls: BegunCall[]): Promise<void> {
  await setHeartbeats(db, calls, sql`now()`);
}

/** Releases these calls. Skips calls that other processes have taken over. */
export async function releaseCalls(db: Db, calls: BegunCall[]): Promise<void> {
  await setHeartbeats(db, calls, sql`null`);
}

/** Skips locked rows, because one locked row must not delay all heartbeats. */
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

/** How one call to the network ended, for the target's list of attempts. */
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
 * Continues with another phase, or with the same phase again. False: nothing was written, because another
 * execution has changed the row.
 */
export async function setNextPhase(
  db: Db,
  notifier: Notifier,
  row: TargetRow,
  next: {
    phase: Phase;
    clock: ClockState;
    /** Null: now. */
    waitMs: number | null;
    /** Undefined: keeps it. */
    state?: SealedState | undefined;
  },
): Promise<boolean> {
  const isWaiting = next.waitMs !== null;
  const hasState = next.state !== undefined;
  const state = next.state ?? emptyState;
  const isChecked = row.phase === 'reconcile' && next.phase !== 'reconcile';
  const statement = (writer: Writer) => sql<{ has_changed: boolean }>`
    with changed as (
      update post_results
      set phase = ${next.phase}, phase_state = 'ready', clock = ${JSON.stringify(next.clock)}::jsonb,
        next_attempt_at = now() + ${next.waitMs}::float8 * interval '1 ms',
        checked_at = case when ${isChecked} then now() else checked_at end,
        provider_state = case when ${hasState} then ${state.provider_state}::bytea else provider_state end,
        provider_state_key_id =
          case when ${hasState} then ${state.provider_state_key_id}::text else provider_state_key_id end
      where id = ${row.id} and steps = ${row.steps} and ${isOpenRow('post_results')}
      returning id
    ), change as (
      ${insertionOf(writer, { ...changeOf(row, 'result.waiting', sql`changed`), when: isWaiting })}
    ), progress as (
      update posts set progressed_at = now()
      where id = ${row.post_id} and exists (select from changed) and ${isWaiting}
    )
    select exists (select from changed) as has_changed`;
  const [written] = await inStatement(db, notifier, (writer) =>
    executePrepared(writer, 'set_next_phase', statement(writer)),
  );
  return written!.has_changed;
}

/** A post that a network has published. */
export interface PublishedTarget {
  row: TargetRow;
  published: {
    externalId: string | null;
    url: string | null;
    visibility: string | null;
    detail?: Record<string, unknown>;
  };
  durationMs: number;
}

/**
 * Ends the targets and their attempts in one statement. The posts are public, so this is written even if other
 * executions have changed the rows.
 */
export async function setPublishedTargets(
  db: Db,
  notifier: Notifier,
  targets: readonly PublishedTarget[],
  options: GroupOptions,
): Promise<('written' | 'locked')[]> {
  const calls = targets.map(({ row, published, durationMs }) => ({
    id: row.id,
    number: row.steps,
    external_id: published.externalId,
    url: published.url,
    visibility: published.visibility,
    detail: published.detail,
    duration_ms: durationMs,
  }));
  const published = sql`(
    select project_id, post_id as id, id as result_id from published) as target`;
  const change = {
    subject: 'post',
    kind: 'result.published',
    result_id: sql<string>`result_id`,
    from: published,
  } as const;
  const statement = (writer: Writer) => sql<{ id: string }>`
    with call as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as t (
        id text, number int, external_id text, url text, visibility text, detail jsonb,
        duration_ms int)
    ), ${lockTargets(options)}, attempt as (
      update post_attempts a
      set outcome = 'published', duration_ms = call.duration_ms, provider_detail = call.detail
      from call
      where a.result_id = any (array(select id from target)) and a.result_id = call.id
        and a.number = call.number
    ), published as (
      update post_results r
      set status = 'published', external_id = call.external_id, url = call.url,
        visibility = call.visibility, published_at = now(), next_attempt_at = null,
        error_code = null, error_message = null, failure_stage = null, platform_error_code = null,
        provider_error = null, is_retriable = false, next_action = 'none',
        provider_state = null, provider_state_key_id = null
      from call
      where r.id = any (array(select id from target)) and r.id = call.id and ${isOpenRow('r')}
      returning r.id, r.post_id, r.project_id
    ), change as (
      ${insertionOf(writer, change)}
    ), progress as (
      ${setProgress(sql`select post_id from published`)}
    )
    select id from target`;
  const name = options.skipLocked ? 'set_published_targets' : 'set_published';
  const rows = await inStatement(db, notifier, (writer) =>
    executePrepared(writer, name, statement(writer)),
  );
  const found = new Set(rows.map(({ id }) => id));
  const isLocked = (id: string) => options.skipLocked && !found.has(id);
  return targets.map(({ row }) => (isLocked(row.id) ? 'locked' : 'written'));
}

/** `setPublishedTargets` for one target. */
export async function setPublished(
  db: Db,
  notifier: Notifier,
  row: TargetRow,
  published: PublishedTarget['published'],
  durationMs: number,
): Promise<void> {
  const target = { row, published, durationMs };
  await setPublishedTargets(db, notifier, [target], { skipLocked: false });
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

/** `words`: why the target failed. Default: the general message of the code. */
export function failureOf(
  errorCode: PostingErrorCode,
  stage: FailureStage,
  words?: string,
): Failure {
  const { message, isRetriable, nextAction } = postingErrors[errorCode];
  return {
    errorCode,
    errorMessage: words || message,
    stage,
    platformErrorCode: null,
    providerError: null,
    isRetriable,
    nextAction,
  };
}

/**
 * Also subtracts the target from the account's usage, unless the post may be public. False: nothing was
 * written, because another execution has changed the row.
 */
export async function setFailed(
  trx: Transaction,
  row: PostResultRow,
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
      // Only a check for the post needs the state.
      ...(failure.errorCode !== 'outcome_unknown' && emptyState),
    })
    .where('id', '=', row.id)
    .where(isUnchanged(row, failure))
    .where(isOpenRow('post_results'))
    .returning('id')
    .executeTakeFirst();
  if (!changed) return false;
  const { project_id, post_id } = row;
  await insertChanges(trx, [
    { project_id, subject: 'post', subject_id: post_id, result_id: row.id, kind: 'result.failed' },
  ]);
  await trx
    .updateTable('posts')
    .set({ progressed_at: sql<Date>`now()` })
    .where('id', '=', post_id)
    .execute();
  if (failure.errorCode !== 'outcome_unknown') await giveBackUsage(trx, project_id, [row.id]);
  return true;
}

/**
 * SQL: no other execution has changed the row. A refused commit is recorded even while another execution
 * checks for its post, because the post doesn't exist unless a newer commit was begun.
 */
function isUnchanged(row: PostResultRow, { errorCode }: Failure) {
  const isRefusal =
    row.phase === 'commit' && row.phase_state === 'begun' && errorCode !== 'outcome_unknown';
  if (!isRefusal) return sql<boolean>`steps = ${row.steps}`;
  return sql<boolean>`(steps = ${row.steps} or (phase = 'reconcile' and attempts = ${row.attempts}))`;
}
