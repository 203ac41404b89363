// Records how a phase ended and what the target does next.
import {
  endAttempt,
  failureOf,
  setFailed,
  type CallOutcome,
  type Failure,
} from '../../schema/database/posts/target-steps.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { ClockState } from '../../schema/database/tables.ts';
import { sealState } from '../../schema/database/posts/provider-state.ts';
import { claimCreditsExhausted, setAppUnaudited } from '../../schema/database/accounts/apps.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { PostingErrorCode } from '../../schema/posts/errors.ts';
import type { FailureStage } from '../../schema/posts/posts.ts';
import type { Platform, ProviderState } from '../platforms/platform.ts';
import { isNotApproved, PlatformError } from '../platforms/platform-error.ts';
import {
  afterAbsent,
  afterError,
  afterPrepared,
  afterStale,
  afterUnknown,
  mayBePublic,
  nextPoll,
  nextPrepare,
  type NextStep,
} from './backoff.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import type { PhaseOutcome } from '../platforms/platform-answer.ts';
import { recordWait } from './log-wait.ts';
import { recordRefusal } from './rate-limits.ts';

export const lostCommit = new PlatformError(
  'unknown_outcome',
  'The answer to the commit was lost.',
);

export const lostState = new PlatformError(
  'unknown_outcome',
  'The database was restored to a state from before the post was sent.',
);

/** The network refused our credentials in this phase. The next step is not decided yet. */
export interface Refused {
  row: TargetRow;
  error: PlatformError;
}

/** `superseded`: another execution has taken over the call, and nothing was written. */
export type PhaseEnd = 'published' | 'written' | 'stalled' | 'superseded' | Refused;

/** Records the error and the next step. After refused credentials, the next step is left to the caller. */
export async function recordError(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  error: PlatformError,
  durationMs: number,
): Promise<PhaseEnd> {
  const { db, clock: limits, writes } = dependencies;
  const { phase, clock } = row;
  const call: CallOutcome = {
    outcome: error.kind,
    durationMs,
    errorCode: error.options.platformCode,
    errorMessage: error.message,
    providerError: error.options.providerError,
  };
  if (error.kind === 'reauthorize') {
    // The network refused the credentials before it saw the post, so the phase may begin again.
    const isWritten = await writes.continue({ row, next: { phase, clock, waitMs: null }, call });
    return isWritten ? { row, error } : 'superseded';
  }
  if (isNotApproved(error) && row.app_id !== null) await setAppUnaudited(db, row.app_id);
  if (error.options.isOutOfCredits) await reportUsedUpApp(dependencies, row);
  else if (error.kind === 'rate_limited') await recordRefusal(dependencies, row, error);
  const step = afterError(error, phase, clock, limits, dependencies.now());
  return toEnd(await applyStep(dependencies, row, step, error, { call }));
}

/** Notifies the project if the app belongs to the project. */
async function reportUsedUpApp(
  { db, notifier, previewEvents }: AdvanceDependencies,
  { app_id, project_id: projectId }: TargetRow,
): Promise<void> {
  if (app_id === null) return;
  await inTransaction(db, notifier, async (trx) => {
    const app = await claimCreditsExhausted(trx, projectId, app_id);
    if (!app) return;
    const { environment, ...data } = app;
    const type = 'platform_app.credits_exhausted';
    await recordEvent(trx, { projectId, environment, type, data }, { previewEvents });
  });
}

export async function recordOutcome(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  outcome: Exclude<PhaseOutcome, { outcome: 'published' }>,
  durationMs: number,
): Promise<PhaseEnd> {
  const { clock: limits } = dependencies;
  const { clock, phase } = row;
  const call = { outcome: outcome.outcome, durationMs };
  const continueWith = async (
    step: NextStep,
    cause: PlatformError | string,
    state?: ProviderState,
  ) => toEnd(await applyStep(dependencies, row, step, cause, { state, call }));
  switch (outcome.outcome) {
    case 'more':
      return continueWith(
        nextPrepare({ waitMs: outcome.waitMs, durationMs }, clock, limits, dependencies.now()),
        'The network did not finish preparing the post in time.',
        outcome.state,
      );
    case 'prepared':
      return continueWith(afterPrepared(clock), '', outcome.state);
    case 'stale':
      return continueWith(
        afterStale(phase, clock, limits),
        'The network no longer had the prepared post.',
        mayBePublic(row) ? undefined : {},
      );
    case 'accepted':
      return continueWith(
        nextPoll(clock, limits, dependencies.now()),
        'The network did not finish the post in time.',
        outcome.state,
      );
    case 'absent':
      if (mayBeRemoved(platform, clock)) return continueWith({ fail: 'outcome_unknown' }, removed);
      return continueWith(
        afterAbsent(platform.definition, clock, limits, dependencies.now()),
        'The network did not take the post.',
      );
    case 'unknown':
      return continueWith(afterUnknown(phase, clock, limits), lostCommit);
  }
}

const removed =
  'The network does not have the post, which may have been published and removed before the database was restored.';

/**
 * After a restore, an absent post is not sent, because the client may have had it removed after the backup. A retry is
 * a new request to publish the post.
 */
const mayBeRemoved = ({ unpublish }: Platform, { check }: ClockState) =>
  unpublish !== undefined && check?.mayBePublic === true && !check.isRetry;

const toEnd = (isWritten: boolean): PhaseEnd => (isWritten ? 'written' : 'superseded');

/**
 * Also ends the row's last call, if given. Undefined `state`: the row keeps its state. False: another execution has
 * changed the row, and the step was not written.
 */
export async function applyStep(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  step: NextStep,
  cause: PlatformError | string,
  { state, call }: { state?: ProviderState | undefined; call?: CallOutcome } = {},
): Promise<boolean> {
  const { db, vault, writes } = dependencies;
  if ('fail' in step) {
    if (call) await endAttempt(db, row.id, row.steps, call);
    return failTarget(dependencies, row, step.fail, cause);
  }
  const { clock, log } = recordWait(dependencies, row, step, cause);
  const next = {
    phase: step.next,
    clock,
    waitMs: step.waitMs > 0 ? step.waitMs : null,
    state: state && sealState(vault, row.id, state),
  };
  const isWritten = await writes.continue({ row, next, call });
  if (isWritten) log?.();
  return isWritten;
}

export function failTarget(
  { db, notifier }: Pick<AdvanceDependencies, 'db' | 'notifier'>,
  row: TargetRow,
  code: PostingErrorCode,
  cause: PlatformError | string,
  stage: FailureStage = row.phase,
): Promise<boolean> {
  const failure = toFailure(code, stage, cause);
  return inTransaction(db, notifier, (trx) => setFailed(trx, row, failure));
}

/** Prefers the message of the cause to the general message of the code. */
export function toFailure(
  errorCode: PostingErrorCode,
  stage: FailureStage,
  cause?: PlatformError | string,
): Failure {
  const error = cause instanceof PlatformError ? cause : undefined;
  const words = (typeof cause === 'string' ? cause : cause?.message)?.trim();
  return {
    ...failureOf(errorCode, stage, words),
    platformErrorCode: error?.options.platformCode ?? null,
    providerError: error?.options.providerError ?? null,
  };
}
