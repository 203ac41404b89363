// How posts find room in their workflow's first task, and when they are sent on instead.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFirstTasks, type FirstTasks } from '../../../activities/publishing/admission.ts';

let firstTasks: FirstTasks;

beforeEach(() => {
  vi.useFakeTimers();
  firstTasks = createFirstTasks();
});

afterEach(() => {
  vi.useRealTimers();
});

/** How each of so many leaves, once it has entered. */
const enterMany = (count: number) => Array.from({ length: count }, () => firstTasks.enter());

describe('createFirstTasks', () => {
  test('lets in what comes while there is room', async () => {
    expect(await firstTasks.enter()).toBeTypeOf('function');
    expect(firstTasks.isCrowded()).toBe(false);
  });

  test('keeps some waiting, says so, and lets one in as another leaves', async () => {
    const entered = enterMany(100);
    const order: number[] = [];
    const waiting = enterMany(60).map(async (entering, i) => {
      const leave = await entering;
      order.push(i);
      leave!();
    });
    expect(firstTasks.isCrowded()).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(order).toEqual([]);
    (await entered[0])!();
    await Promise.all(waiting);
    expect(order).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(firstTasks.isCrowded()).toBe(false);
  });

  test('sends on what waits while none leaves', async () => {
    void enterMany(100);
    const waiting = firstTasks.enter();
    await vi.advanceTimersByTimeAsync(600);
    expect(await waiting).toBeUndefined();
    expect(firstTasks.isCrowded()).toBe(false);
  });

  test('sends on what has waited long, though others leave', async () => {
    const entered = enterMany(100);
    void enterMany(100);
    const last = firstTasks.enter();
    for (const entering of entered.slice(0, 50)) {
      (await entering)!();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(await last).toBeUndefined();
  });

  test('sends on at once what comes when enough wait', async () => {
    void enterMany(400);
    expect(await firstTasks.enter()).toBeUndefined();
  });
});
