// The groups of waiting deliveries that are attempted together.
import { describe, expect, test } from 'vitest';
import { groupByTime } from '../../workflows/group-by-time.ts';

const nowMs = 1_000_000;
const waiting = (waits: Record<string, number>) =>
  Object.entries(waits).map(([deliveryId, waitMs]) => {
    return { deliveryId, attemptCount: 1, dueAtMs: nowMs + waitMs, waitMs };
  });

describe('groupByTime', () => {
  test('groups deliveries due within three seconds, and attempts none early', () => {
    const groups = groupByTime(waiting({ d: 30_000, b: 12_900, c: 13_100, a: 10_000 }));
    expect(groups).toEqual([
      { ids: ['a', 'b'], waitMs: 12_900 },
      { ids: ['c'], waitMs: 13_100 },
      { ids: ['d'], waitMs: 30_000 },
    ]);
  });

  test('makes no group without deliveries', () => {
    expect(groupByTime([])).toEqual([]);
  });
});
