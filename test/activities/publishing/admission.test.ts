// When posts are published in their workflow's first task, and when in separate activities.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAdmission, type Admission } from '../../../activities/publishing/admission.ts';

let admission: Admission;

beforeEach(() => {
  vi.useFakeTimers();
  admission = createAdmission();
});

afterEach(() => {
  vi.useRealTimers();
});

/** The functions with which the posts leave, once they have entered. */
const enterMany = (count: number) => Array.from({ length: count }, () => admission.enter());

describe('createAdmission', () => {
  test('admits posts while there is room', async () => {
    expect(await admission.enter()).toBeTypeOf('function');
    expect(admission.isCrowded()).toBe(false);
  });

  test('lets some posts wait, reports that posts wait, and admits a waiting post when a post leaves', async () => {
    const entered = enterMany(100);
    const order: number[] = [];
    const waiting = enterMany(60).map(async (entering, i) => {
      const leave = await entering;
      order.push(i);
      leave!();
    });
    expect(admission.isCrowded()).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(order).toEqual([]);
    (await entered[0])!();
    await Promise.all(waiting);
    expect(order).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(admission.isCrowded()).toBe(false);
  });

  test('dismisses waiting posts if no post leaves', async () => {
    void enterMany(100);
    const waiting = admission.enter();
    await vi.advanceTimersByTimeAsync(600);
    expect(await waiting).toBeUndefined();
    expect(admission.isCrowded()).toBe(false);
  });

  test('dismisses posts that waited too long, even if other posts leave', async () => {
    const entered = enterMany(100);
    void enterMany(100);
    const last = admission.enter();
    for (const entering of entered.slice(0, 50)) {
      (await entering)!();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(await last).toBeUndefined();
  });

  test('dismisses new posts at once when enough are waiting', async () => {
    void enterMany(400);
    expect(await admission.enter()).toBeUndefined();
  });
});
