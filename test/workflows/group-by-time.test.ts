// Groups of work that is due at about the same time.
import { describe, expect, test } from 'vitest';
import { groupByTime } from '../../workflows/group-by-time.ts';

const waiting = (waits: Record<string, number>) =>
  Object.entries(waits).map(([id, waitMs]) => ({ id, waitMs }));

describe('groupByTime', () => {
  test('groups items that are due within the window, and makes none early', () => {
    const items = waiting({ d: 30_000, b: 12_900, c: 13_100, a: 10_000 });
    const groups = groupByTime(items, () => 3_000);
    expect(groups.map(({ items, waitMs }) => ({ ids: items.map(({ id }) => id), waitMs }))).toEqual(
      [
        { ids: ['a', 'b'], waitMs: 12_900 },
        { ids: ['c'], waitMs: 13_100 },
        { ids: ['d'], waitMs: 30_000 },
      ],
    );
  });

  test('takes the window from the wait of the first item', () => {
    const items = waiting({ a: 1_000, b: 1_100, c: 10_000, d: 11_000 });
    const groups = groupByTime(items, (waitMs) => waitMs / 10);
    expect(groups.map(({ waitMs }) => waitMs)).toEqual([1_100, 11_000]);
  });

  test('makes no group without items', () => {
    expect(groupByTime([], () => 3_000)).toEqual([]);
  });
});
