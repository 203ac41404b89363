// How long a target is tried, and when it gives up.
import { describe, expect, test } from 'vitest';
import { afterAbsent, afterError, nextPoll, type NextStep } from '../../activities/target-clock.ts';
import {
  PlatformError,
  type PlatformErrorKind,
} from '../../activities/platforms/platform-error.ts';
import type { ClockState } from '../../schema/database/database.ts';
import type { Phase } from '../../schema/posts.ts';
import { defaultTargetClock as limits } from '../../schema/retry.ts';

const now = 1_700_000_000_000;
const error = (kind: PlatformErrorKind, options = {}) => new PlatformError(kind, kind, options);

/** Takes the same step again and again, time passing by each wait. */
function walk(step: (clock: ClockState, nowMs: number) => NextStep) {
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
  walk((clock, nowMs) => afterError(error(kind, options), phase, clock, limits, nowMs));

describe('afterError', () => {
  test('tries a refusal again after 1, 5, 30, 120 and 600 s, then fails as unavailable', () => {
    expect(after('unavailable', 'commit')).toEqual({
      waits: [1_000, 5_000, 30_000, 120_000, 600_000],
      fail: 'unavailable',
    });
  });

  test('waits as long as a rate limit says, six hours at the most', () => {
    const { waits, fail } = after('rate_limited', 'commit', { retryAfterMs: 3_600_000 });
    expect(waits).toEqual(Array.from({ length: 6 }, () => 3_600_000));
    expect(fail).toBe('rate_limited');
  });

  test('never commits again after an unknown outcome without looking', () => {
    const next = afterError(error('unknown_outcome'), 'commit', {}, limits, now);
    expect(next).toMatchObject({ next: 'reconcile', waitMs: 0 });
  });

  test('repeats a prepare whose outcome is unknown, since it is harmless', () => {
    const next = afterError(error('unknown_outcome'), 'prepare', {}, limits, now);
    expect(next).toMatchObject({ next: 'prepare', waitMs: 1_000 });
  });

  test('looks after 0, 5, 30 and 120 s before it says that the outcome is unknown', () => {
    expect(after('unavailable', 'reconcile')).toEqual({
      waits: [0, 5_000, 30_000, 120_000],
      fail: 'outcome_unknown',
    });
  });

  test('ends at once what the network will never take', () => {
    expect(after('rejected', 'commit')).toEqual({ waits: [], fail: 'rejected' });
  });

  test('tells a revoked token from an expired one', () => {
    expect(after('reauthorize', 'commit', { isRevoked: true }).fail).toBe('token_revoked');
    expect(after('reauthorize', 'commit').fail).toBe('token_expired');
  });
});

describe('afterError when the post may be public', () => {
  const kinds = [
    'rejected',
    'reauthorize',
    'rate_limited',
    'unavailable',
    'unknown_outcome',
  ] as const;

  test.each(kinds)('a look that ends as %s ends as an unknown outcome', (kind) => {
    expect(after(kind, 'reconcile', { retryAfterMs: 3_600_000 }).fail).toBe('outcome_unknown');
  });

  test.each(kinds.slice(1))('a poll that ends as %s ends as an unknown outcome', (kind) => {
    expect(after(kind, 'confirm', { retryAfterMs: 3_600_000 }).fail).toBe('outcome_unknown');
  });

  test('a poll in which the network says no ends as rejected', () => {
    expect(after('rejected', 'confirm').fail).toBe('rejected');
  });
});

describe('afterError while an earlier commit is not cleared up', () => {
  const unproven = { reconcileLooks: 1, unavailable: 1 };

  test.each(['rejected', 'rate_limited', 'unavailable'] as const)(
    'a commit that ends as %s is told by nobody until the looks are over',
    (kind) => {
      const next = afterError(error(kind), 'commit', unproven, limits, now);
      expect(next).toEqual({
        next: 'reconcile',
        waitMs: 5_000,
        clock: { ...unproven, reconcileLooks: 2 },
      });
    },
  );

  test('a commit whose outcome is unknown, too, begins a round of its own', () => {
    const next = afterError(error('unknown_outcome'), 'commit', unproven, limits, now);
    expect(next).toMatchObject({ next: 'reconcile', waitMs: 0, clock: { reconcileLooks: 1 } });
  });

  test('a commit for which our means are refused ends as an unknown outcome', () => {
    const next = afterError(error('reauthorize'), 'commit', unproven, limits, now);
    expect(next).toEqual({ fail: 'outcome_unknown' });
  });
});

describe('afterAbsent', () => {
  test('commits again after the first look where a repeat is a no-op, and remembers the round', () => {
    const next = afterAbsent(true, { reconcileLooks: 1 }, limits);
    expect(next).toMatchObject({ next: 'commit', waitMs: 1_000, clock: { reconcileLooks: 1 } });
    expect(afterAbsent(true, { reconcileLooks: 2 }, limits)).toMatchObject({ next: 'reconcile' });
  });

  test('looks on where a repeat is a no-op and there is none left', () => {
    const clock = { reconcileLooks: 1, unavailable: limits.unavailableDelaysMs.length };
    expect(afterAbsent(true, clock, limits)).toMatchObject({ next: 'reconcile', waitMs: 5_000 });
  });

  test('believes only the last look where a repeat would make a second post', () => {
    expect(afterAbsent(false, { reconcileLooks: 1 }, limits)).toMatchObject({ next: 'reconcile' });
    expect(afterAbsent(false, { reconcileLooks: 3 }, limits)).toMatchObject({ next: 'reconcile' });
    expect(afterAbsent(false, { reconcileLooks: 4 }, limits)).toEqual({
      next: 'commit',
      waitMs: 1_000,
      clock: { unavailable: 1 },
    });
  });

  test.each([true, false])(
    'gives up in the end, as a post that is surely not there: idempotent %s',
    (isIdempotent) => {
      const clock = { reconcileLooks: 4, unavailable: limits.unavailableDelaysMs.length };
      expect(afterAbsent(isIdempotent, clock, limits)).toEqual({ fail: 'unavailable' });
    },
  );
});

describe('nextPoll', () => {
  test('polls from 1 s, growing to 60 s, for a day', () => {
    const { waits, fail } = walk((clock, nowMs) => nextPoll(clock, limits, nowMs));
    expect(waits.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(waits.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(limits.confirmForMs);
    expect(fail).toBe('outcome_unknown');
  });
});
