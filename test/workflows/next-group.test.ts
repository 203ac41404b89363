// Which waiting deliveries are attempted together.
import { describe, expect, test } from 'vitest';
import { nextGroup } from '../../workflows/next-group.ts';

const waiting = (due: Record<string, number>) =>
  Object.entries(due).map(([deliveryId, dueAtMs]) => ({ deliveryId, attemptCount: 1, dueAtMs }));

describe('nextGroup', () => {
  test('takes those due within three seconds together, none of them early', () => {
    const { group, later, wakeAtMs } = nextGroup(
      waiting({ a: 10_000, b: 12_900, c: 13_100, d: 30_000 }),
    );
    expect(group).toEqual(['a', 'b']);
    expect(wakeAtMs).toBe(12_900);
    expect(later.map((delivery) => delivery.deliveryId)).toEqual(['c', 'd']);
  });

  test('takes a lone delivery at its own time', () => {
    expect(nextGroup(waiting({ a: 10_000 }))).toEqual({
      group: ['a'],
      later: [],
      wakeAtMs: 10_000,
    });
  });
});
