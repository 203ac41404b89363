// How long a network's headers ask to wait, by its own clock.
import { describe, expect, test } from 'vitest';
import {
  readRefusedMs,
  readThrottle,
  serverNow,
} from '../../../activities/platforms/rate-limit-headers.ts';

const date = 'Sun, 22 Nov 2026 08:00:00 GMT';
const at = (given: Record<string, string>) => new Headers({ date, ...given });

describe('readRefusedMs', () => {
  test.each([
    ['seconds of Retry-After', { 'retry-after': '7' }, 7_000],
    ['a date of Retry-After', { 'retry-after': 'Sun, 22 Nov 2026 08:01:00 GMT' }, 60_000],
    ['seconds until the reset', { 'x-ratelimit-reset-after': '1.2501' }, 1_251],
    ['the date of the reset', { 'x-ratelimit-reset': '2026-11-22T08:05:00.000Z' }, 300_000],
    ['the epoch second of the reset', { 'ratelimit-reset': '1795334410' }, 10_000],
    ['Retry-After first', { 'retry-after': '7', 'x-ratelimit-reset-after': '9' }, 7_000],
    ['nothing', {}, undefined],
    ['nonsense', { 'x-ratelimit-reset': 'soon' }, undefined],
  ])('reads %s', (_what, given, expected) => {
    expect(readRefusedMs(at(given))).toBe(expected);
  });
});

describe('readThrottle', () => {
  test.each([
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '2' }, 2_000],
    [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '1795334410' }, 10_000],
    [{ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset-after': '2' }, undefined],
    [{ 'x-ratelimit-remaining': '0' }, undefined],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': 'soon' }, undefined],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2026-11-22T07:00:00Z' }, undefined],
    [{ 'x-ratelimit-reset-after': '2' }, undefined],
  ])('reads %j', (given, waitMs) => {
    const expected = waitMs && { scope: 'account', waitMs };
    expect(readThrottle(at(given as Record<string, string>))).toEqual(expected);
  });
});

test('serverNow is our own clock if the network sends no time', () => {
  expect(serverNow(at({}))).toBe(Date.parse(date));
  expect(Math.abs(serverNow(new Headers()) - Date.now())).toBeLessThan(1_000);
});
