// How a Retry-After of a receiver extends the retry schedule: a table of headers and waits.
import { describe, expect, test } from 'vitest';
import { nextWaitMs } from '../../../activities/delivering/deliver-batch.ts';
import { readRetryAfterMs } from '../../../activities/egress/retry-after.ts';
import { defaultDeliveryDelaysMs } from '../../../schema/retry.ts';
import { attempt } from '../../support/rows/attempts.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');

describe('readRetryAfterMs', () => {
  test.each([
    ['0', 0],
    ['45', 45_000],
    ['007', 7_000],
    ['999999999', 999_999_999_000],
    ['Sun, 01 Mar 2026 12:01:30 GMT', 90_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    [undefined, null],
    ['', null],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    [' 5', null],
    ['5s', null],
    ['5, 10', null],
    ['9999999999', null],
    ['tomorrow', null],
    ['2026-03-01T12:01:30Z', null],
    ['Mon, 01 Mar 2026 12:01:30 GMT', null],
    ['Sun, 01 Mar 2026 12:01:30 +0000', null],
    ['Sun, 31 Feb 2026 12:01:30 GMT', null],
  ])('reads %j as %j ms', (header, expected) => {
    expect(readRetryAfterMs(header, nowMs)).toBe(expected);
  });
});

describe('nextWaitMs', () => {
  test.each([
    // The retry schedule: 30 s, 2 min, 10 min.
    [503, 0, '0', 30],
    [503, 0, '29', 30],
    [503, 0, '31', 31],
    [429, 0, '90', 90],
    [429, 0, '120', 120],
    [429, 0, '3600', 120],
    [503, 1, '60', 120],
    [503, 1, '300', 300],
    [503, 1, '3600', 600],
    [429, 2, '60', 600],
    [429, 2, '3600', 600],
    [429, 3, '60', undefined],
    [429, 0, 'Sun, 01 Mar 2026 12:01:30 GMT', 90],
    [429, 0, 'soon', 30],
    [429, 0, undefined, 30],
    [500, 0, '90', 30],
    [400, 0, '90', 30],
    [301, 1, '300', 120],
    [null, 0, undefined, 30],
  ])('after %j at step %i with Retry-After %j: %j s', (status, step, retryAfter, expected) => {
    const answer = attempt('dlv_1', {
      status_code: status,
      response_headers: status && retryAfter !== undefined ? { 'retry-after': retryAfter } : null,
      ended_at: new Date(nowMs),
    });
    const waitMs = nextWaitMs(defaultDeliveryDelaysMs, step, answer);
    expect(waitMs === undefined ? undefined : waitMs / 1_000).toBe(expected);
  });
});
