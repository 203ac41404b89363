// A run asks less of a slow machine, and gives it more time.
import { expect, test } from 'vitest';
import { toPace } from './machine.ts';

const paces: [what: string, postMs: number, perSecond: number, minuteMs: number][] = [
  ['a fast machine', 20, 3, 60_000],
  ['a quiet machine with 2 cores', 165, 3, 60_000],
  ['a machine that takes 4 times as long', 720, 0.75, 240_000],
  ['a starved machine', 60_000, 0.3, 600_000],
];
test.each(paces)('%s', (_, postMs, perSecond, minuteMs) => {
  const pace = toPace(postMs);
  expect(pace.perSecond).toBeCloseTo(perSecond);
  expect(pace.deadline(60_000)).toBe(minuteMs);
});
