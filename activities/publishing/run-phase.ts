// One phase of a target: noted as begun, called, its outcome written.
import type { ClockState } from '../../schema/database/tables.ts';
import {
  beginPhase,
  endAttempt,
  setFailed,
  setNextPhase,
  setPublished,
  type CallOutcome,
} from '../../schema/database/posts/target-steps.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { PostingErrorCode } from '../../schema/posts/errors.ts';
import type { FailureStage } from '../../schema/posts/posts.ts';
import type { Access } from './credentials.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import { callPhase, defaultCallTimeoutMs, type PhaseOutcome } from './call-phase.ts';
import { toFailure, toPlatformError } from './failures.ts';
import type { Platform } from '../platforms/platform.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { noteRefusal, noteThrottle, withoutTurn } from './rate-limits.ts';
import {
  afterAbsent,
  afterError,
  afterUnknown,
  nextPoll,
  withoutLimit,
  type NextStep,
} from './backoff.ts';

export const lostCommit = new PlatformError(
  'unknown_outcome',
  'The answer to the commit was lost.',
);

export const lostState = new PlatformError(
  'unknown_outcome',
  'The database was restored to a state from before the post was sent.',
);

/** Our credentials were refused in this phase, and what becomes of it is still to be decided. */
export interface Refused {
  row: TargetRow;
  error: PlatformError;
}

/** `superseded`: another execution has taken the call over, and nothing was written. */
export type PhaseEnd = 'published' | 'written' | 'superseded' | Refused;

/** Runs the row's phase and writes its outcome, but for a refusal of our credentials. */
export async function runPhase(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  access: Access,
): Promise<PhaseEnd> {
  const { db, heartbeats } = dependencies;
  const { phase } = row;
  const startedMs = performance.now();
  if (!(await beginPhase(db, row, phase))) return 'written';
  const sent: TargetRow = {
    ...row,
    phase_state: 'begun',
    steps: row.steps + 1,
    attempts: row.attempts + (phase === 'commit' ? 1 : 0),
  };
  const letGo = heartbeats.keep(sent);
  try {
    return await makeCall(dependencies, sent, platform, access, startedMs);
  } finally {
    letGo();
  }
}

async function makeCall(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  access: Access,
  startedMs: number,
): Promise<PhaseEnd> {
  const { db, clock, callTimeoutMs = defaultCallTimeoutMs } = dependencies;
  const answer = await callPhase(platform, row.phase, row, access, {
    startedMs,
    callTimeoutMs,
    sendWithinMs: clock.lostAfterMs / 2,
  }).catch(toPlatformError);
  const durationMs = Math.round(performance.now() - startedMs);
  const begun = { ...row, clock: clockAfter(row, answer) };
  if (answer instanceof PlatformError) return writeError(dependencies, begun, answer, durationMs);

  if ('throttle' in answer && answer.throttle) {
    await noteThrottle(dependencies, begun, answer.throttle);
  }
  if (answer.outcome === 'published') {
    await setPublished(db, begun, answer.published, durationMs);
    dependencies.notifier.notify('fanfare_changes');
    return 'published';
  }
  await endAttempt(db, row.id, begun.steps, { outcome: answer.outcome, durationMs });
  return toEnd(await writeOutcome(dependencies, begun, platform, answer));
}

const toEnd = (hasWritten: boolean): PhaseEnd => (hasWritten ? 'written' : 'superseded');

const silentOnLimits: ReadonlySet<string> = new Set(['rate_limited', 'reauthorize']);

function clockAfter({ phase, clock }: TargetRow, answer: PhaseOutcome | PlatformError): ClockState {
  // Means that are refused say nothing of limits: refreshing them may be what is limited.
  const isSilent = answer instanceof PlatformError && silentOnLimits.has(answer.kind);
  const heard = isSilent ? clock : withoutLimit(clock);
  return phase === 'commit' ? withoutTurn(heard) : heard;
}

async function writeError(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  error: PlatformError,
  durationMs: number,
): Promise<PhaseEnd> {
  const { db, clock: limits } = dependencies;
  const { phase, clock } = row;
  await endAttempt(db, row.id, row.steps, toCallOutcome(error, durationMs));
  if (error.kind === 'reauthorize') {
    // The network refused our credentials before it looked at the post: the phase is as if never begun.
    const isOurs = await setNextPhase(db, row, { phase, clock, waitMs: null });
    return isOurs ? { row, error } : 'superseded';
  }
  if (error.kind === 'rate_limited') await noteRefusal(dependencies, row, error);
  const step = afterError(error, phase, clock, limits, dependencies.now());
  return toEnd(await takeStep(dependencies, row, step, error));
}

async function writeOutcome(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  outcome: Exclude<PhaseOutcome, { outcome: 'published' }>,
): Promise<boolean> {
  const { db, clock: limits } = dependencies;
  const { clock } = row;
  switch (outcome.outcome) {
    case 'prepared':
      return setNextPhase(db, row, { phase: 'commit', clock, waitMs: null, state: outcome.state });
    case 'accepted':
      return takeStep(
        dependencies,
        { ...row, provider_state: outcome.state },
        nextPoll(clock, limits, dependencies.now()),
        'The network did not finish the post in time.',
      );
    case 'absent':
      return takeStep(
        dependencies,
        row,
        afterAbsent(platform, clock, limits, dependencies.now()),
        'The network did not take the post.',
      );
    case 'unknown':
      return takeStep(dependencies, row, afterUnknown(row.phase, clock, limits), lostCommit);
  }
}

/** False: another execution was here since, and nothing was written. */
export async function takeStep(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  step: NextStep,
  cause: PlatformError | string,
): Promise<boolean> {
  if ('fail' in step) return failTarget(dependencies, row, step.fail, cause);
  const { db, notifier } = dependencies;
  const waitMs = step.waitMs > 0 ? step.waitMs : null;
  const isWritten = await db.transaction().execute((trx) =>
    setNextPhase(trx, row, {
      phase: step.next,
      clock: step.clock,
      waitMs,
      state: row.provider_state,
    }),
  );
  if (waitMs !== null) notifier.notify('fanfare_changes');
  return isWritten;
}

export async function failTarget(
  { db, notifier }: Pick<AdvanceDependencies, 'db' | 'notifier'>,
  row: TargetRow,
  code: PostingErrorCode,
  cause: PlatformError | string,
  stage: FailureStage = row.phase,
): Promise<boolean> {
  const failure = toFailure(code, stage, cause);
  const isWritten = await db.transaction().execute((trx) => setFailed(trx, row, failure));
  notifier.notify('fanfare_changes');
  return isWritten;
}

function toCallOutcome(error: PlatformError, durationMs: number): CallOutcome {
  return {
    outcome: error.kind,
    durationMs,
    errorCode: error.options.platformCode,
    errorMessage: error.message,
    providerError: error.options.providerError,
  };
}
