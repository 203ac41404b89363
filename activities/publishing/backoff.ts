// Decides what a target does next after an error. Pure: takes the row's counters, returns the next step.
import type { ClockState } from '../../schema/database/tables.ts';
import type { PlatformDefinition } from '../../schema/platforms/definition.ts';
import type { PostingErrorCode } from '../../schema/posts/errors.ts';
import type { Phase } from '../../schema/posts/posts.ts';
import { stalledDelayMs, type TargetClock } from '../../schema/retry.ts';
import type { PlatformError } from '../platforms/platform-error.ts';

export type NextStep =
  { next: Phase; waitMs: number; clock: ClockState } | { fail: PostingErrorCode };

/** Whether the phase sends something to the network. The other phases only ask. */
export function isSending(phase: Phase): boolean {
  return phase === 'prepare' || phase === 'commit';
}

/** Whether a commit with an unknown outcome was sent, so that the post may be public. */
export function mayBePublic({ phase, clock }: { phase: Phase; clock: ClockState }): boolean {
  return clock.check?.mayBePublic ?? (!isSending(phase) || isUnproven(clock));
}

/** Whether the reconciliation of a commit has begun but not ended. */
const isUnproven = (clock: ClockState) => clock.reconcileChecks !== undefined;

/**
 * The next step after a failed call in `phase`. The refusal of a repeated commit says nothing about the first
 * commit, so the reconciliation of the first commit continues.
 */
export function afterError(
  error: PlatformError,
  phase: Phase,
  clock: ClockState,
  limits: TargetClock,
  nowMs: number,
): NextStep {
  const { kind } = error;
  if (phase === 'commit' && kind === 'unknown_outcome') return firstCheck(clock, limits, nowMs);
  if (phase === 'commit' && kind !== 'reauthorize' && isUnproven(clock)) {
    return nextCheck(clock, limits);
  }
  switch (kind) {
    case 'rejected':
      // The network refused the check of a reconciliation, not the post.
      if (phase === 'reconcile') return nextCheck(clock, limits);
      return { fail: error.options.failsAs ?? 'rejected' };
    case 'reauthorize':
      if (mayBePublic({ phase, clock })) return { fail: 'outcome_unknown' };
      return { fail: error.options.isRevoked ? 'token_revoked' : 'token_expired' };
    case 'rate_limited':
      if (error.options.isOutOfQuota) {
        const { retryAfterMs = limits.quotaDelayMs } = error.options;
        return afterQuota(retryAfterMs, phase, clock, limits, nowMs);
      }
      return afterRateLimit(
        refusalWaitMs(error, clock, limits),
        phase,
        countRateLimit(error, clock),
        limits,
        nowMs,
      );
    case 'unavailable':
    case 'unknown_outcome':
      if (phase === 'reconcile') return afterFailedCheck(clock, limits);
      if (phase === 'confirm') return nextPoll(clock, limits, nowMs);
      return afterRefusal(phase, clock, limits, error.options.failsAs);
  }
}

/** Certainly nothing was sent, so the same phase begins again, as if it had never begun. */
export function afterStall(phase: Phase, clock: ClockState): NextStep {
  return { next: phase, waitMs: stalledDelayMs, clock };
}

/** The next step after a step of a prepare that was not the last one. */
export function nextPrepare(
  { waitMs, durationMs }: { waitMs: number; durationMs: number },
  clock: ClockState,
  { prepareForMs }: TargetClock,
  nowMs: number,
): NextStep {
  const { unavailable: _, ...rest } = clock;
  const prepareSinceMs = clock.prepareSinceMs ?? nowMs - durationMs;
  if (nowMs + waitMs - prepareSinceMs > prepareForMs) return { fail: 'unavailable' };
  return { next: 'prepare', waitMs, clock: { ...rest, prepareSinceMs } };
}

export function afterPrepared(clock: ClockState): NextStep {
  const { prepareSinceMs: _, ...rest } = clock;
  return { next: 'commit', waitMs: 0, clock: rest };
}

/** How often a target is prepared again after it became stale. */
const maxStale = 2;

/**
 * The network no longer has what was prepared. A lost commit may have used it up, although no check found the
 * post.
 */
export function afterStale(phase: Phase, clock: ClockState, limits: TargetClock): NextStep {
  if (mayBePublic({ phase, clock })) return nextCheck(clock, limits);
  if (clock.hasLostCommit) return { fail: 'outcome_unknown' };
  const stale = (clock.stale ?? 0) + 1;
  if (stale > maxStale) return { fail: 'unavailable' };
  return { next: 'prepare', waitMs: 0, clock: { ...clock, stale } };
}

/** The next step after a rate limit was reached, or before a call while a known limit holds. */
export function afterRateLimit(
  waitMs: number,
  phase: Phase,
  clock: ClockState,
  limits: TargetClock,
  nowMs: number,
): NextStep {
  const sinceMs = clock.rateLimitedSinceMs ?? nowMs;
  if (nowMs + waitMs - sinceMs > limits.rateLimitedForMs) {
    return { fail: mayBePublic({ phase, clock }) ? 'outcome_unknown' : 'rate_limited' };
  }
  const { prepareSinceMs } = clock;
  // The wait doesn't count for the duration of the prepare.
  const moved = prepareSinceMs !== undefined && { prepareSinceMs: prepareSinceMs + waitMs };
  return { next: phase, waitMs, clock: { ...clock, ...moved, rateLimitedSinceMs: sinceMs } };
}

/**
 * The account or its app may publish nothing more for now. A long wait doesn't count for the duration of the
 * prepare, which begins anew.
 */
export function afterQuota(
  waitMs: number,
  phase: Phase,
  clock: ClockState,
  { quotaForMs }: TargetClock,
  nowMs: number,
): NextStep {
  const quotaSinceMs = clock.quotaSinceMs ?? nowMs;
  if (nowMs + waitMs - quotaSinceMs > quotaForMs) {
    return { fail: mayBePublic({ phase, clock }) ? 'outcome_unknown' : 'quota_exhausted' };
  }
  // The network has answered, so earlier failures no longer count.
  const { prepareSinceMs: _, unavailable: __, ...rest } = withoutLimit(clock);
  return { next: phase, waitMs, clock: { ...rest, quotaSinceMs } };
}

/** After a call that was not rate-limited. */
export function withoutLimit(clock: ClockState): ClockState {
  const {
    rateLimitedSinceMs: _,
    rateLimits: __,
    isOutOfCredits: ___,
    quotaSinceMs: ____,
    ...rest
  } = clock;
  return rest;
}

function countRateLimit({ options }: PlatformError, clock: ClockState): ClockState {
  const { isOutOfCredits: _, ...rest } = clock;
  const rateLimits = (clock.rateLimits ?? 0) + 1;
  return { ...rest, rateLimits, ...(options.isOutOfCredits && { isOutOfCredits: true }) };
}

/**
 * The wait that the network asks for, but longer after each refusal in a row, because some networks always
 * ask for one second.
 */
export function refusalWaitMs(
  { options: { retryAfterMs } }: PlatformError,
  { rateLimits = 0 }: ClockState,
  limits: TargetClock,
): number {
  const { rateLimitedDelayMs, rateLimitedFirstMs, rateLimitedMaxMs } = limits;
  const leastMs = Math.min(rateLimitedFirstMs * 2 ** rateLimits, rateLimitedMaxMs);
  return Math.max(retryAfterMs ?? rateLimitedDelayMs, leastMs);
}

/** The network certainly did not accept the call, so the phase is repeated by the retry schedule. */
function afterRefusal(
  phase: Phase,
  clock: ClockState,
  limits: TargetClock,
  failsAs: PostingErrorCode = 'unavailable',
): NextStep {
  const tries = clock.unavailable ?? 0;
  const waitMs = limits.unavailableDelaysMs[tries];
  if (waitMs === undefined) return { fail: failsAs };
  return { next: phase, waitMs, clock: { ...clock, unavailable: tries + 1 } };
}

/** The answer to the commit that began at `begunMs` is lost: starts its reconciliation. */
export function firstCheck(clock: ClockState, limits: TargetClock, begunMs: number): NextStep {
  const unprovenSinceMs = clock.unprovenSinceMs ?? begunMs;
  const lost = { reconcileChecks: 0, unprovenSinceMs, hasLostCommit: true } as const;
  return nextCheck({ ...clock, ...lost }, limits);
}

/**
 * Whether the network still recognizes a repeated commit. It may forget the first commit during a long pause
 * or outage. After a manual retry the age of the first commit is unknown.
 */
export function mayRepeat(
  { commitRepeatsForMs }: Pick<PlatformDefinition, 'commitRepeatsForMs'>,
  clock: ClockState,
  nowMs: number,
): boolean {
  return !isUnproven(clock) || nowMs - (clock.unprovenSinceMs ?? 0) < commitRepeatsForMs;
}

/**
 * After a restore of the database: asks the network whether it has the post. Calls that were in flight in
 * the restored state ended long ago, so one successful check is enough.
 */
export function checkAfterRestore(
  { phase, clock, was_due: mayBePublic }: { phase: Phase; clock: ClockState; was_due: boolean },
  limits: TargetClock,
): NextStep {
  // A reconciliation is in progress already.
  if (isUnproven(clock)) return nextCheck(clock, limits);
  const check = { phase: phase === 'prepare' ? phase : 'commit', mayBePublic } as const;
  return nextCheck({ ...clock, check, ...(mayBePublic && { hasLostCommit: true }) }, limits);
}

/** Continues with the phase that the check held up. */
function afterCheck(check: NonNullable<ClockState['check']>, clock: ClockState): NextStep {
  const { check: _, reconcileChecks: __, ...rest } = clock;
  return { next: check.phase, waitMs: 0, clock: rest };
}

/**
 * After the last check, or after an inconclusive check. A target that wasn't due before a restore is sent.
 */
function withoutKnowing(clock: ClockState): NextStep {
  const { check } = clock;
  return check && !check.mayBePublic ? afterCheck(check, clock) : { fail: 'outcome_unknown' };
}

/** After an answer that proves nothing. Another check would prove nothing either. */
export function afterUnknown(phase: Phase, clock: ClockState, limits: TargetClock): NextStep {
  return phase === 'reconcile' ? withoutKnowing(clock) : nextCheck(clock, limits);
}

/** The next check of the reconciliation; `outcome_unknown` after the last check. */
export function nextCheck(clock: ClockState, limits: TargetClock): NextStep {
  const checks = clock.reconcileChecks ?? 0;
  const waitMs = limits.reconcileDelaysMs[checks];
  if (waitMs === undefined) return withoutKnowing(clock);
  return { next: 'reconcile', waitMs, clock: { ...clock, reconcileChecks: checks + 1 } };
}

/**
 * After a check that got no answer. Only the last check is repeated, because only the last check proves
 * anything.
 */
function afterFailedCheck(clock: ClockState, limits: TargetClock): NextStep {
  if (!isLastCheck(clock, limits)) return nextCheck(clock, limits);
  const again = afterRefusal('reconcile', clock, limits);
  return 'fail' in again ? withoutKnowing(clock) : again;
}

const isLastCheck = ({ reconcileChecks = 0 }: ClockState, { reconcileDelaysMs }: TargetClock) =>
  reconcileChecks >= reconcileDelaysMs.length;

/**
 * After a check that found nothing. The network may still be processing a call that timed out, so only
 * the last check proves that the post is absent. Where the network recognizes repeats, the commit is
 * repeated after the first check, and the reconciliation continues unless the repeat publishes the post.
 */
export function afterAbsent(
  platform: Pick<PlatformDefinition, 'commitRepeatsForMs'>,
  clock: ClockState,
  limits: TargetClock,
  nowMs: number,
): NextStep {
  if (clock.check) return afterCheck(clock.check, clock);
  const { reconcileChecks = 0, unprovenSinceMs: _, ...proven } = clock;
  if (isLastCheck(clock, limits)) return afterRefusal('commit', proven, limits);
  const again = reconcileChecks === 1 && afterRefusal('commit', clock, limits);
  const isRepeat = again && 'next' in again && mayRepeat(platform, clock, nowMs + again.waitMs);
  return isRepeat ? again : nextCheck(clock, limits);
}

/** The network is still processing an accepted post. */
export function nextPoll(clock: ClockState, limits: TargetClock, nowMs: number): NextStep {
  const sinceMs = clock.confirmSinceMs ?? nowMs;
  const waitMs = Math.min(
    clock.confirmDelayMs ? clock.confirmDelayMs * 2 : limits.confirmFirstMs,
    limits.confirmMaxMs,
  );
  if (nowMs + waitMs - sinceMs > limits.confirmForMs) return { fail: 'outcome_unknown' };
  const polled = { ...clock, confirmSinceMs: sinceMs, confirmDelayMs: waitMs };
  return { next: 'confirm', waitMs, clock: polled };
}
