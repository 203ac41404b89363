// What a target does next after trouble at its network. Pure: the row's counters in, a decision out.
import type { ClockState } from '../../schema/database/tables.ts';
import type { PostingErrorCode } from '../../schema/posts/errors.ts';
import type { Phase } from '../../schema/posts/posts.ts';
import type { TargetClock } from '../../schema/retry.ts';
import type { Platform } from '../platforms/platform.ts';
import type { PlatformError } from '../platforms/platform-error.ts';

export type NextStep =
  { next: Phase; waitMs: number; clock: ClockState } | { fail: PostingErrorCode };

/** The phase asks the network to take something; the others look what became of it. */
export function isSending(phase: Phase): boolean {
  return phase === 'prepare' || phase === 'commit';
}

/** A commit went out whose end nobody knows, so whatever stops us now, the post may be there. */
export function mayBePublic({ phase, clock }: { phase: Phase; clock: ClockState }): boolean {
  return clock.check?.mayBePublic ?? (!isSending(phase) || isUnproven(clock));
}

/** A round of looks was begun and has not ended. */
const isUnproven = (clock: ClockState) => clock.reconcileLooks !== undefined;

/**
 * After a call that did not reach its end. `phase`: the one that failed. The refusal of a repeated
 * commit says nothing of the first one: what became of that is looked for, and it is told only then.
 */
export function afterError(
  error: PlatformError,
  phase: Phase,
  clock: ClockState,
  limits: TargetClock,
  nowMs: number,
): NextStep {
  const { kind } = error;
  if (phase === 'commit' && kind === 'unknown_outcome') return firstLook(clock, limits, nowMs);
  if (phase === 'commit' && kind !== 'reauthorize' && isUnproven(clock)) {
    return nextLook(clock, limits);
  }
  switch (kind) {
    case 'rejected':
      // In reconcile it is the look that was refused, not the post.
      return phase === 'reconcile' ? nextLook(clock, limits) : { fail: 'rejected' };
    case 'reauthorize':
      if (mayBePublic({ phase, clock })) return { fail: 'outcome_unknown' };
      return { fail: error.options.isRevoked ? 'token_revoked' : 'token_expired' };
    case 'rate_limited':
      return afterRateLimit(error.options.retryAfterMs, phase, clock, limits, nowMs);
    case 'unavailable':
    case 'unknown_outcome':
      if (phase === 'reconcile') return nextLook(clock, limits);
      if (phase === 'confirm') return nextPoll(clock, limits, nowMs);
      return afterRefusal(phase, clock, limits);
  }
}

/** Shared by who was refused and who only knows of it. */
export function afterRateLimit(
  retryAfterMs: number | undefined,
  phase: Phase,
  clock: ClockState,
  limits: TargetClock,
  nowMs: number,
): NextStep {
  const sinceMs = clock.rateLimitedSinceMs ?? nowMs;
  const waitMs = retryAfterMs ?? limits.rateLimitedDelayMs;
  if (nowMs + waitMs - sinceMs > limits.rateLimitedForMs) {
    return { fail: mayBePublic({ phase, clock }) ? 'outcome_unknown' : 'rate_limited' };
  }
  return { next: phase, waitMs, clock: { ...clock, rateLimitedSinceMs: sinceMs } };
}

/** A call that was not limited has ended what was waited out. */
export function withoutLimit(clock: ClockState): ClockState {
  const { rateLimitedSinceMs: _, ...rest } = clock;
  return rest;
}

/** Surely not accepted: the same phase again, by the retry schedule. */
function afterRefusal(phase: Phase, clock: ClockState, limits: TargetClock): NextStep {
  const tries = clock.unavailable ?? 0;
  const waitMs = limits.unavailableDelaysMs[tries];
  if (waitMs === undefined) return { fail: 'unavailable' };
  return { next: phase, waitMs, clock: { ...clock, unavailable: tries + 1 } };
}

/** The answer to a commit that was begun at `begunMs` is lost: it is looked for from the start. */
export function firstLook(clock: ClockState, limits: TargetClock, begunMs: number): NextStep {
  const unprovenSinceMs = clock.unprovenSinceMs ?? begunMs;
  return nextLook({ ...clock, reconcileLooks: 0, unprovenSinceMs }, limits);
}

/**
 * Whether the network takes another commit for a repeat of the lost one. Its memory of that one may be
 * shorter than a pause or an outage of ours. After a manual retry nobody knows how old that commit is.
 */
export function mayRepeat(
  { commitRepeatsForMs }: Pick<Platform, 'commitRepeatsForMs'>,
  clock: ClockState,
  nowMs: number,
): boolean {
  return !isUnproven(clock) || nowMs - (clock.unprovenSinceMs ?? 0) < commitRepeatsForMs;
}

/**
 * After a restore of the database: asks the network whether it has the post. Calls that were in flight
 * in the restored state have long ended, so one look that reaches the network is enough.
 */
export function checkFirst(
  { phase, clock, was_due: mayBePublic }: { phase: Phase; clock: ClockState; was_due: boolean },
  limits: TargetClock,
): NextStep {
  // Its looks are under way anyway.
  if (isUnproven(clock)) return nextLook(clock, limits);
  const check = { phase: phase === 'prepare' ? phase : 'commit', mayBePublic } as const;
  return nextLook({ ...clock, check }, limits);
}

/** The phase that was held up for the check. */
function afterCheck(check: NonNullable<ClockState['check']>, clock: ClockState): NextStep {
  const { check: _, reconcileLooks: __, ...rest } = clock;
  return { next: check.phase, waitMs: 0, clock: rest };
}

/** After the last look, or one that can't tell: a target that was not due before the restore is sent. */
function withoutKnowing(clock: ClockState): NextStep {
  const { check } = clock;
  return check && !check.mayBePublic ? afterCheck(check, clock) : { fail: 'outcome_unknown' };
}

/** After an answer that proves nothing. A look that can't tell now never can. */
export function afterUnknown(phase: Phase, clock: ClockState, limits: TargetClock): NextStep {
  return phase === 'reconcile' ? withoutKnowing(clock) : nextLook(clock, limits);
}

/** The next look of reconcile; `outcome_unknown` when there is none left. */
export function nextLook(clock: ClockState, limits: TargetClock): NextStep {
  const looks = clock.reconcileLooks ?? 0;
  const waitMs = limits.reconcileDelaysMs[looks];
  if (waitMs === undefined) return withoutKnowing(clock);
  return { next: 'reconcile', waitMs, clock: { ...clock, reconcileLooks: looks + 1 } };
}

/**
 * After a look that found nothing. A network may still be working on a call that we gave up on, so
 * only the last look's word is taken for it. Where a repeat is no second post, the commit is repeated
 * after the first look already, and its round of looks goes on unless that publishes.
 */
export function afterAbsent(
  platform: Pick<Platform, 'commitRepeatsForMs'>,
  clock: ClockState,
  limits: TargetClock,
  nowMs: number,
): NextStep {
  if (clock.check) return afterCheck(clock.check, clock);
  const { reconcileLooks = 0, unprovenSinceMs: _, ...proven } = clock;
  if (reconcileLooks >= limits.reconcileDelaysMs.length) {
    return afterRefusal('commit', proven, limits);
  }
  const again = reconcileLooks === 1 && afterRefusal('commit', clock, limits);
  const isRepeat = again && 'next' in again && mayRepeat(platform, clock, nowMs + again.waitMs);
  return isRepeat ? again : nextLook(clock, limits);
}

/** The network is still at work on an accepted post. */
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
