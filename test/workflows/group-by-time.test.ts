// Which waiting deliveries are attempted together.
import { describe, expect, test } from 'vitest';
import { groupByTime } from '../../workflows/group-by-time.ts';

const waiting = (due: Record<string, number>) =>
  Object.entries(due).map(([deliveryId, dueAtMs]) => ({ deliveryId, attemptCount: 1, dueAtMs }));

describe('groupByTime', () => {
  test('takes those due within three seconds together, none of them early', () => {
    const groups = groupByTime(waiting({ d: 30_000, b: 12_900, c: 13_100, a: 10_000 }));
    expect(groups).toEqual([
      { ids: ['a', 'b'], dueAtMs: 12_900 },
      { ids: ['c'], dueAtMs: 13_100 },
      { ids: ['d'], dueAtMs: 30_000 },
    ]);
  });

  test('makes no group of nothing', () => {
    expect(groupByTime([])).toEqual([]);
  });
});
