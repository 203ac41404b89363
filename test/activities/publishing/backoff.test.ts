// How long a target is tried, and when it fails.
import { describe, expect, test } from 'vitest';
import {
  afterAbsent,
  afterError,
  afterStall,
  afterUnknown,
  firstCheck,
  mayRepeat,
  nextPoll,
  withoutLimit,
  type NextStep,
} from '../../../activities/publishing/backoff.ts';
import {
  PlatformError,
  type PlatformErrorKind,
} from '../../../activities/platforms/platform-error.ts';
import type { ClockState } from '../../../schema/database/tables.ts';
import type { Phase } from '../../../schema/posts/posts.ts';
import { defaultTargetClock as limits } from '../../../schema/retry.ts';

const now = 1_700_000_000_000;
const error = (kind: PlatformErrorKind, options = {}) => new PlatformError(kind, kind, options);

/** Repeats the same step, and lets the time of each wait pass. */
function repeat(step: (clock: ClockState, nowMs: number) => NextStep) {
  const waits: number[] = [];
  let clock: ClockState = {};
  let nowMs = now;
  for (;;) {
    const next = step(clock, nowMs);
    if ('fail' in next) return { waits, fail: next.fail };
    waits.push(next.waitMs);
    clock = next.clock;
    nowMs += next.waitMs;
  }
}

const after = (kind: PlatformErrorKind, phase: Phase, options = {}) =>
  repeat((clock, nowMs) => afterError(error(kind, options), phase, clock, limits, nowMs));

describe('afterError', () => {
  test('retries a refused call after 1, 5, 30, 120 and 600 s, then fails as unavailable', () => {
    expect(after('unavailable', 'commit')).toEqual({
      waits: [1_000, 5_000, 30_000, 120_000, 600_000],
      fail: 'unavailable',
    });
  });

  test('waits as long as a rate limit says, at most six hours', () => {
    const { waits, fail } = after('rate_limited', 'commit', { retryAfterMs: 3_600_000 });
    expect(waits).toEqual(Array.from({ length: 6 }, () => 3_600_000));
    expect(fail).toBe('rate_limited');
  });

  test('waits longer after each refusal in a row that asks for one second', () => {
    const { waits, fail } = after('rate_limited', 'commit', { retryAfterMs: 1_000 });
    expect(waits.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(waits.slice(8).every((waitMs) => waitMs === 60_000)).toBe(true);
    expect(fail).toBe('rate_limited');
  });

  test('tries again every 15 minutes if a quota is used up, for 48 hours', () => {
    const { waits, fail } = after('rate_limited', 'prepare', { isOutOfQuota: true });
    expect(waits).toEqual(Array.from({ length: 192 }, () => 900_000));
    expect(fail).toBe('quota_exhausted');
  });

  test('counts the wait for a quota and the wait for a rate limit separately', () => {
    const quota = error('rate_limited', { isOutOfQuota: true });
    const limited: ClockState = { rateLimits: 5, rateLimitedSinceMs: now - 7 * 3_600_000 };
    const waiting = afterError(quota, 'prepare', { ...limited, prepareSinceMs: 1 }, limits, now);
    expect(waiting).toEqual({
      next: 'prepare',
      waitMs: 900_000,
      clock: { quotaSinceMs: now },
    });
    const then = afterError(error('rate_limited'), 'commit', { quotaSinceMs: 1 }, limits, now);
    expect(then).toMatchObject({ clock: { quotaSinceMs: 1, rateLimitedSinceMs: now } });
    expect(withoutLimit({ quotaSinceMs: 1 })).toEqual({});
  });

  test('counts no wait for a limit as preparation', () => {
    const limited = error('rate_limited', { retryAfterMs: 3_600_000 });
    const waiting = afterError(limited, 'prepare', { prepareSinceMs: now }, limits, now);
    expect(waiting).toMatchObject({
      waitMs: 3_600_000,
      clock: { prepareSinceMs: now + 3_600_000, rateLimitedSinceMs: now },
    });
  });

  test('resets the count of failures when a quota is reported as used up', () => {
    const quota = error('rate_limited', { isOutOfQuota: true });
    const failed: ClockState = { quotaSinceMs: now, unavailable: 5 };
    const waiting = afterError(quota, 'prepare', failed, limits, now + 1);
    expect(waiting).toMatchObject({ next: 'prepare', clock: { quotaSinceMs: now } });
    expect(waiting).not.toHaveProperty('clock.unavailable');
  });

  test('starts again with the shortest wait after a call that was not rate-limited', () => {
    const refused = error('rate_limited', { retryAfterMs: 1_000 });
    const limited: ClockState = { rateLimits: 5, rateLimitedSinceMs: now };
    expect(afterError(refused, 'commit', limited, limits, now)).toMatchObject({ waitMs: 32_000 });
    const clock = withoutLimit(limited);
    expect(afterError(refused, 'commit', clock, limits, now)).toMatchObject({ waitMs: 1_000 });
  });

  test('never commits again after an unknown outcome without a check', () => {
    const next = afterError(error('unknown_outcome'), 'commit', {}, limits, now);
    expect(next).toMatchObject({ next: 'reconcile', waitMs: 0 });
  });

  test('repeats a prepare whose outcome is unknown, because a repeat is harmless', () => {
    const next = afterError(error('unknown_outcome'), 'prepare', {}, limits, now);
    expect(next).toMatchObject({ next: 'prepare', waitMs: 1_000 });
  });

  test('checks after 0, 5, 30 and 120 s, and repeats the last check while the network is away', () => {
    const checks = [0, 5_000, 30_000, 120_000];
    const repeats = [1_000, 5_000, 30_000, 120_000, 600_000];
    for (const kind of ['unavailable', 'unknown_outcome'] as const) {
      expect(after(kind, 'reconcile')).toEqual({
        waits: [...checks, ...repeats],
        fail: 'outcome_unknown',
      });
    }
    expect(after('rejected', 'reconcile')).toEqual({ waits: checks, fail: 'outcome_unknown' });
  });

  test('fails with the code that the error names', () => {
    const failsAs = 'media_fetch_failed';
    expect(after('rejected', 'prepare', { failsAs })).toEqual({ waits: [], fail: failsAs });
    const { waits, fail } = after('unavailable', 'prepare', { failsAs });
    expect([waits.length, fail]).toEqual([5, failsAs]);
    expect(after('unavailable', 'reconcile', { failsAs }).fail).toBe('outcome_unknown');
  });

  test('fails at once when the network rejects the post', () => {
    expect(after('rejected', 'commit')).toEqual({ waits: [], fail: 'rejected' });
  });

  test('distinguishes a revoked token from an expired token', () => {
    expect(after('reauthorize', 'commit', { isRevoked: true }).fail).toBe('token_revoked');
    expect(after('reauthorize', 'commit').fail).toBe('token_expired');
  });
});

describe('afterStall', () => {
  test.each(['prepare', 'commit', 'confirm', 'reconcile'] as const)(
    'begins %s again after a second, with the same counters',
    (phase) => {
      const clock = { unavailable: 5, reconcileChecks: 1, unprovenSinceMs: now, rateLimits: 2 };
      expect(afterStall(phase, clock)).toEqual({ next: phase, waitMs: 1_000, clock });
    },
  );
});

describe('afterError when the post may be public', () => {
  const kinds = [
    'rejected',
    'reauthorize',
    'rate_limited',
    'unavailable',
    'unknown_outcome',
  ] as const;

  test.each(kinds)('a check that ends as %s is an unknown outcome', (kind) => {
    expect(after(kind, 'reconcile', { retryAfterMs: 3_600_000 }).fail).toBe('outcome_unknown');
  });

  test.each(kinds.slice(1))('a poll that ends as %s is an unknown outcome', (kind) => {
    expect(after(kind, 'confirm', { retryAfterMs: 3_600_000 }).fail).toBe('outcome_unknown');
  });

  test('a poll that the network rejects ends as rejected', () => {
    expect(after('rejected', 'confirm').fail).toBe('rejected');
  });
});

describe('afterError while the outcome of an earlier commit is unknown', () => {
  const unproven = { reconcileChecks: 1, unavailable: 1 };

  test.each(['rejected', 'rate_limited', 'unavailable'] as const)(
    'a commit that ends as %s is not reported until the checks are over',
    (kind) => {
      const next = afterError(error(kind), 'commit', unproven, limits, now);
      expect(next).toEqual({
        next: 'reconcile',
        waitMs: 5_000,
        clock: { ...unproven, reconcileChecks: 2 },
      });
    },
  );

  test('a commit with an unknown outcome starts a new reconciliation', () => {
    const next = afterError(error('unknown_outcome'), 'commit', unproven, limits, now);
    expect(next).toMatchObject({ next: 'reconcile', waitMs: 0, clock: { reconcileChecks: 1 } });
  });

  test('a commit for which our credentials are refused ends as an unknown outcome', () => {
    const next = afterError(error('reauthorize'), 'commit', unproven, limits, now);
    expect(next).toEqual({ fail: 'outcome_unknown' });
  });
});

const never = { commitRepeatsForMs: 0 };
const always = { commitRepeatsForMs: Number.POSITIVE_INFINITY };
const forAnHour = { commitRepeatsForMs: 3_600_000 };

describe('afterAbsent', () => {
  const absent = (network: typeof never, clock: ClockState) =>
    afterAbsent(network, clock, limits, now);

  test('commits again after the first check if a repeat is a no-op, and continues to check', () => {
    const next = absent(always, { reconcileChecks: 1 });
    expect(next).toMatchObject({ next: 'commit', waitMs: 1_000, clock: { reconcileChecks: 1 } });
    expect(absent(always, { reconcileChecks: 2 })).toMatchObject({ next: 'reconcile' });
  });

  test.each([
    [3_598_000, 'commit'],
    [3_600_000, 'reconcile'],
  ])('with a commit of %i ms ago and an hour for repeats, continues with %s', (agoMs, next) => {
    const clock = { reconcileChecks: 1, unprovenSinceMs: now - agoMs };
    expect(absent(forAnHour, clock)).toMatchObject({ next });
  });

  test('continues to check if a repeat is a no-op and no repeat is left', () => {
    const clock = { reconcileChecks: 1, unavailable: limits.unavailableDelaysMs.length };
    expect(absent(always, clock)).toMatchObject({ next: 'reconcile', waitMs: 5_000 });
  });

  test('trusts only the last check if a repeat would make a second post', () => {
    expect(absent(never, { reconcileChecks: 1 })).toMatchObject({ next: 'reconcile' });
    expect(absent(never, { reconcileChecks: 3 })).toMatchObject({ next: 'reconcile' });
    expect(absent(never, { reconcileChecks: 4, unprovenSinceMs: now })).toEqual({
      next: 'commit',
      waitMs: 1_000,
      clock: { unavailable: 1 },
    });
  });

  test.each([always, never])(
    'fails in the end, with a post that is certainly absent: %o',
    (network) => {
      const clock = { reconcileChecks: 4, unavailable: limits.unavailableDelaysMs.length };
      expect(absent(network, clock)).toEqual({ fail: 'unavailable' });
    },
  );
});

describe('mayRepeat', () => {
  test('allows the first commit everywhere', () => {
    expect(mayRepeat(never, {}, now)).toBe(true);
  });

  test('allows a repeat only while the network remembers the first commit', () => {
    const clock = { reconcileChecks: 1, unprovenSinceMs: now };
    expect(mayRepeat(forAnHour, clock, now + 3_599_999)).toBe(true);
    expect(mayRepeat(forAnHour, clock, now + 3_600_000)).toBe(false);
    expect(mayRepeat(never, clock, now)).toBe(false);
  });

  test('allows no repeat when the time of the first commit is unknown', () => {
    const retried = { reconcileChecks: 1 };
    expect(mayRepeat(forAnHour, retried, now)).toBe(false);
    expect(mayRepeat({ commitRepeatsForMs: Number.POSITIVE_INFINITY }, retried, now)).toBe(true);
  });
});

describe('firstCheck', () => {
  test('keeps the time of the first lost commit, also after a repeat', () => {
    const first = firstCheck({}, limits, now);
    expect(first).toMatchObject({ clock: { unprovenSinceMs: now } });
    const again = 'clock' in first && firstCheck(first.clock, limits, now + 60_000);
    expect(again).toMatchObject({ clock: { unprovenSinceMs: now } });
  });
});

describe('afterUnknown', () => {
  test('ends at once if no further check is left', () => {
    expect(afterUnknown('reconcile', { reconcileChecks: 1 }, limits)).toEqual({
      fail: 'outcome_unknown',
    });
    expect(afterUnknown('commit', {}, limits)).toMatchObject({ next: 'reconcile', waitMs: 0 });
  });
});

describe('nextPoll', () => {
  test('polls at intervals from 1 s to 60 s, for a day', () => {
    const { waits, fail } = repeat((clock, nowMs) => nextPoll(clock, limits, nowMs));
    expect(waits.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(waits.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(limits.confirmForMs);
    expect(fail).toBe('outcome_unknown');
  });
});
