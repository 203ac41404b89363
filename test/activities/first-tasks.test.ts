// How targets find room in their workflow's first task, and when they are sent on instead.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFirstTasks, type FirstTasks } from '../../activities/first-tasks.ts';

let firstTasks: FirstTasks;

beforeEach(() => {
  vi.useFakeTimers();
  firstTasks = createFirstTasks();
});

afterEach(() => {
  vi.useRealTimers();
});

const hang = () => new Promise<never>(() => {});

/** Begins so many that end when they are told to. */
function beginMany(count: number): { end(): void }[] {
  return Array.from({ length: count }, () => {
    const ending = Promise.withResolvers<void>();
    void firstTasks.begin(() => ending.promise);
    return { end: ending.resolve };
  });
}

describe('createFirstTasks', () => {
  test('begins what comes while there is room', async () => {
    expect(await firstTasks.begin(async () => 'done')).toBe('done');
    expect(firstTasks.isCrowded()).toBe(false);
  });

  test('keeps some waiting, says so, and begins each as another ends', async () => {
    const begun = beginMany(100);
    const order: number[] = [];
    const waiting = Array.from({ length: 60 }, (_, i) =>
      firstTasks.begin(async () => void order.push(i)),
    );
    expect(firstTasks.isCrowded()).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(order).toEqual([]);
    begun[0]!.end();
    await Promise.all(waiting);
    expect(order).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(firstTasks.isCrowded()).toBe(false);
  });

  test('sends on what waits while none ends', async () => {
    beginMany(100);
    const waiting = firstTasks.begin(hang);
    await vi.advanceTimersByTimeAsync(600);
    expect(await waiting).toBeUndefined();
    expect(firstTasks.isCrowded()).toBe(false);
  });

  test('sends on what has waited long, though others end', async () => {
    const begun = beginMany(100);
    beginMany(100);
    const last = firstTasks.begin(hang);
    for (const { end } of begun.slice(0, 50)) {
      end();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(await last).toBeUndefined();
  });

  test('sends on at once what comes when enough wait', async () => {
    beginMany(400);
    expect(await firstTasks.begin(hang)).toBeUndefined();
  });

  test('gives the room of one that failed to the next', async () => {
    beginMany(99);
    await expect(firstTasks.begin(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await firstTasks.begin(async () => 'done')).toBe('done');
  });
});
