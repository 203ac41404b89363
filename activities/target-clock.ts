// What a target does next after trouble at its network. Pure: the row's counters in, a decision out.
import type { ClockState } from '../schema/database/database.ts';
import type { PostingErrorCode } from '../schema/posting-errors.ts';
import type { Phase } from '../schema/posts.ts';
import type { TargetClock } from '../schema/retry.ts';
import type { PlatformError } from './platforms/platform-error.ts';

export type NextStep =
  { next: Phase; waitMs: number; clock: ClockState } | { fail: PostingErrorCode };

/** The commit went out, so whatever stops us now, the post may be there. */
export function mayBePublic(phase: Phase): boolean {
  return phase === 'confirm' || phase === 'reconcile';
}

/** After a call that did not reach its end. `phase`: the one that failed. */
export function afterError(
  error: PlatformError,
  phase: Phase,
  clock: ClockState,
  limits: TargetClock,
  nowMs: number,
): NextStep {
  switch (error.kind) {
    case 'rejected':
      // In reconcile it is the look that was refused, not the post.
      return phase === 'reconcile' ? nextLook(clock, limits) : { fail: 'rejected' };
    case 'reauthorize':
      if (mayBePublic(phase)) return { fail: 'outcome_unknown' };
      return { fail: error.options.isRevoked ? 'token_revoked' : 'token_expired' };
    case 'rate_limited':
      return afterRateLimit(error.options.retryAfterMs, phase, clock, limits, nowMs);
    case 'unavailable':
    case 'unknown_outcome':
      if (phase === 'reconcile') return nextLook(clock, limits);
      if (phase === 'confirm') return nextPoll(clock, limits, nowMs);
      if (phase === 'commit' && error.kind === 'unknown_outcome') return nextLook(clock, limits);
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
  const waitMs = Math.max(retryAfterMs ?? limits.rateLimitedDelayMs, 0);
  if (nowMs + waitMs - sinceMs > limits.rateLimitedForMs) {
    return { fail: mayBePublic(phase) ? 'outcome_unknown' : 'rate_limited' };
  }
  return { next: phase, waitMs, clock: { ...clock, rateLimitedSinceMs: sinceMs } };
}

/** Surely not accepted: the same phase again, on the ladder. */
function afterRefusal(phase: Phase, clock: ClockState, limits: TargetClock): NextStep {
  const tries = clock.unavailable ?? 0;
  const waitMs = limits.unavailableDelaysMs[tries];
  if (waitMs === undefined) return { fail: 'unavailable' };
  return { next: phase, waitMs, clock: { ...clock, unavailable: tries + 1 } };
}

/** The next look of reconcile; `outcome_unknown` when there is none left. */
export function nextLook(clock: ClockState, limits: TargetClock): NextStep {
  const looks = clock.reconcileLooks ?? 0;
  const waitMs = limits.reconcileDelaysMs[looks];
  if (waitMs === undefined) return { fail: 'outcome_unknown' };
  return { next: 'reconcile', waitMs, clock: { ...clock, reconcileLooks: looks + 1 } };
}

/**
 * After a look that found nothing. A network may still be working on a call that we gave up on, so
 * where a repeat would make a second post, only the last look's word is taken for it.
 */
export function afterAbsent(
  isCommitIdempotent: boolean,
  clock: ClockState,
  limits: TargetClock,
): NextStep {
  const isLastLook = (clock.reconcileLooks ?? 0) >= limits.reconcileDelaysMs.length;
  if (!isCommitIdempotent && !isLastLook) return nextLook(clock, limits);
  const { reconcileLooks: _, ...rest } = clock;
  return afterRefusal('commit', rest, limits);
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
