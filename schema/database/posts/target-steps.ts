// Writes how a call of one target ended, and that the target failed. `grouped-steps.ts` and `next-phases.ts` have the
// steps that many targets share.
import { sql } from 'kysely';
import type { AttemptOutcome } from '../../posts/attempts.ts';
import { postingErrors, type PostingErrorCode } from '../../posts/errors.ts';
import type { NextAction } from '../../posts/next-action.ts';
import type { FailureStage } from '../../posts/posts.ts';
import { giveBackUsage } from '../accounts/usage.ts';
import { insertChanges } from '../live/changes.ts';
import type { Db, PostResultRow, Transaction } from '../tables.ts';
import { emptyState } from './provider-state.ts';
import { isOpenRow } from './targets.ts';

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
      ...toAttemptColumns(call),
      provider_error: call.providerError ? JSON.stringify(call.providerError) : null,
    })
    .where('result_id', '=', resultId)
    .where('number', '=', number)
    .execute();
}

export function toAttemptColumns(call: CallOutcome) {
  return {
    outcome: call.outcome,
    duration_ms: call.durationMs,
    error_code: call.errorCode ?? null,
    error_message: call.errorMessage ?? null,
    provider_error: call.providerError ?? null,
  };
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
