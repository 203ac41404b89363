// When media are fetched again.
import { expect, test } from 'vitest';
import { nextFetchDelay } from '../../schema/retry.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const soon = [5 * second, 30 * second, 2 * minute, 10 * minute];
const soonMs = soon.reduce((sum, ms) => sum + ms, 0);

/** Waits between fetches that all fail at once. `dueInMs`: when the first failed. */
function delays(dueInMs: number | null): number[] {
  const found: number[] = [];
  for (let passedMs = 0; ; passedMs += found.at(-1)!) {
    const leftMs = dueInMs === null ? null : dueInMs - passedMs;
    const delayMs = nextFetchDelay(found.length + 1, leftMs);
    if (delayMs === null) return found;
    found.push(delayMs);
  }
}

test.each<[string, number | null, number[]]>([
  ['no post that waits', null, soon],
  ['a post that is being published', -5 * minute, soon],
  ['a post in 5 minutes', 5 * minute, soon],
  ['a post in 20 minutes', 20 * minute, soon],
  ['a post in 23 minutes', 23 * minute, soon],
  ['a post in 30 minutes', 30 * minute, [...soon, 20 * minute - soonMs]],
  ['a post in 3 hours', 3 * hour, [...soon, hour, hour, 50 * minute - soonMs]],
  [
    'a post in 2 days',
    48 * hour,
    [...soon, ...Array.from({ length: 47 }, () => hour), 50 * minute - soonMs],
  ],
])('the delays of a fetch with %s', (_, dueInMs, expected) => {
  expect(delays(dueInMs)).toEqual(expected);
});

test('the last fetch for a later post comes 10 minutes before the post is due', () => {
  for (let dueInMs = 30 * minute; dueInMs < 50 * hour; dueInMs += 37 * minute) {
    const lastMs = delays(dueInMs).reduce((sum, ms) => sum + ms, 0);
    expect(dueInMs - lastMs).toBeGreaterThanOrEqual(10 * minute);
    expect(dueInMs - lastMs).toBeLessThan(11 * minute);
  }
});
