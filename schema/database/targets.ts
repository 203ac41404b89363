// One target's way through its phases in Postgres: begun before the call, ended after it.
import { sql } from 'kysely';
import type { PostingErrorCode } from '../posting-errors.ts';
import type { FailureStage, NextAction, Phase, ResultStatus } from '../posts.ts';
import { giveBackUsage } from './account-usage.ts';
import { insertChanges } from './changes.ts';
import type { ClockState, Db, PostResultRow, Transaction } from './database.ts';
import { isUnderPause } from './sending-pauses.ts';

/** A result with all that decides what its target does next, read at once. */
export interface TargetRow extends PostResultRow {
  post_caption: string;
  post_media_urls: string[];
  current_run: number;
  /** Of the row that it answers. */
  answered_status: ResultStatus | null;
  answered_external_id: string | null;
  /** The network takes nothing until then, of the account or of the whole app. */
  blocked_until: Date | null;
  /** The operator has paused its network or its project. */
  is_sending_paused: boolean;
}

export async function findTarget(db: Db, resultId: string): Promise<TargetRow | undefined> {
  return db
    .selectFrom('post_results as r')
    .innerJoin('posts as p', 'p.id', 'r.post_id')
    .leftJoin('post_results as answered', 'answered.id', 'r.answers_result_id')
    .modifyFront(sql.raw('/* prepared: find_target */'))
    .selectAll('r')
    .select(['p.caption as post_caption', 'p.media_urls as post_media_urls', 'p.current_run'])
    .select('answered.status as answered_status')
    .select('answered.external_id as answered_external_id')
    .select((eb) => [
      eb
        .selectFrom('rate_limits')
        .select(({ fn }) => fn.max('blocked_until').as('until'))
        .where('key', 'in', [
          sql<string>`'app/' || r.platform`,
          // Ids have a collation of their own, in which the keys' index does not serve.
          sql<string>`('account/' || r.social_account_id) collate "default"`,
        ])
        .as('blocked_until'),
      isUnderPause('r').as('is_sending_paused'),
    ])
    .where('r.id', '=', resultId)
    .executeTakeFirst();
}

/** The post of this result, when none of its targets and comments is on its way any more. */
export async function findFinishedPost(db: Db, resultId: string): Promise<string | undefined> {
  const { rows } = await sql<{ post_id: string }>`
    /* prepared: find_finished_post */
    select post_id from post_results r
    where id = ${resultId} and not exists (
      select from post_results
      where post_id = r.post_id and (status = 'pending' or status = 'publishing')
    )`.execute(db);
  return rows[0]?.post_id;
}

/**
 * Notes that a phase's call is about to be sent, in one statement. False: another execution was here
 * since `row` was read, and this one must read again. A crash after this leaves `begun`, which
 * reconcile resolves.
 */
export async function beginPhase(
  db: Db,
  row: TargetRow,
  phase: Phase,
  startedAt: Date,
): Promise<boolean> {
  const { rows } = await sql<{ has_begun: boolean }>`
    /* prepared: begin_phase */
    with begun as (
      update post_results
      set status = 'publishing', phase = ${phase}, phase_state = 'begun',
        steps = steps + 1, attempts = attempts + ${phase === 'commit' ? 1 : 0}::int,
        next_attempt_at = null, is_paused = false
      where id = ${row.id} and steps = ${row.steps} and status in ('pending', 'publishing')
      returning id
    ), attempt as (
      insert into post_attempts (result_id, number, run, phase, started_at, outcome)
      select id, ${row.steps + 1}, ${row.current_run}, ${phase}, ${startedAt}, 'begun' from begun
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

/** When the call under way was begun, where an earlier run began it. */
export async function findEarlierCall(db: Db, row: TargetRow): Promise<Date | undefined> {
  const attempt = await db
    .selectFrom('post_attempts')
    .select('started_at')
    .where('result_id', '=', row.id)
    .where('number', '=', row.steps)
    .where('run', '<', row.current_run)
    .executeTakeFirst();
  return attempt?.started_at;
}

/** How one call to the network ended, for the story of the target. */
export interface CallOutcome {
  outcome: string;
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
 * The target goes on: with another phase, or the same one again, at once or later. Like `setFailed`
 * it writes nothing when another execution was here since: only the newest knows how things stand.
 */
export async function setNextPhase(
  db: Db,
  row: TargetRow,
  next: {
    phase: Phase;
    clock: ClockState;
    dueAt: Date | null;
    state?: Record<string, unknown> | undefined;
  },
): Promise<void> {
  const changed = await db
    .updateTable('post_results')
    .set({
      phase: next.phase,
      phase_state: 'ready',
      clock: JSON.stringify(next.clock),
      next_attempt_at: next.dueAt,
      ...(next.state ? { provider_state: JSON.stringify(next.state) } : {}),
    })
    .where('id', '=', row.id)
    .where('steps', '=', row.steps)
    .where('status', 'in', ['pending', 'publishing'])
    .returning('id')
    .executeTakeFirst();
  if (changed && next.dueAt) await insertResultChange(db, row, 'waiting');
}

/**
 * Ends the target and the attempt that told of it, in one statement. Whoever learns that the post is
 * public may say so, whatever others did meanwhile.
 */
export async function setPublished(
  db: Db,
  row: TargetRow,
  published: { externalId: string; url: string | null },
  durationMs: number,
): Promise<void> {
  await sql`
    /* prepared: set_published */
    with attempt as (
      update post_attempts set outcome = 'published', duration_ms = ${durationMs}
      where result_id = ${row.id} and number = ${row.steps}
    ), published as (
      update post_results
      set status = 'published', external_id = ${published.externalId}, url = ${published.url},
        published_at = now(), next_attempt_at = null, error_code = null, error_message = null,
        failure_stage = null, platform_error_code = null, provider_error = null,
        is_retriable = false, next_action = 'none'
      where id = ${row.id} and status in ('pending', 'publishing')
      returning id
    ), change as (
      insert into changes (project_id, subject, subject_id, kind)
      select ${row.project_id}, 'post', ${row.post_id}, 'result.published' from published
    )
    update posts set progressed_at = now()
    where id = ${row.post_id} and exists (select from published)`.execute(db);
}

/**
 * Leaves the target to whoever resumes: no workflow carries it until then. False: the pause has ended,
 * or another execution was here. Whoever ends a pause waits for this, so that none is left behind.
 */
export async function setPaused(db: Db, row: TargetRow): Promise<boolean> {
  const paused = await db
    .updateTable('post_results')
    .set({ is_paused: true })
    .where('id', '=', row.id)
    .where('steps', '=', row.steps)
    .where('status', 'in', ['pending', 'publishing'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('sending_pauses')
          .select('scope')
          .where('scope', 'in', [row.platform, row.project_id])
          .forKeyShare(),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return paused !== undefined;
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

/** Gives back what the account's usage counted for it, unless the post may be public. */
export async function setFailed(trx: Transaction, row: TargetRow, failure: Failure): Promise<void> {
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
    .where('steps', '=', row.steps)
    .where('status', 'in', ['pending', 'publishing'])
    .returning('id')
    .executeTakeFirst();
  if (!changed) return;
  await insertResultChange(trx, row, 'failed');
  if (failure.errorCode !== 'outcome_unknown') await giveBackUsage(trx, [row.id]);
}

/** What happens to a result is a change of its post. */
async function insertResultChange(db: Db, row: TargetRow, kind: string): Promise<void> {
  await insertChanges(db, [
    {
      project_id: row.project_id,
      subject: 'post',
      subject_id: row.post_id,
      kind: `result.${kind}`,
    },
  ]);
  await db
    .updateTable('posts')
    .set({ progressed_at: sql<Date>`now()` })
    .where('id', '=', row.post_id)
    .execute();
}
