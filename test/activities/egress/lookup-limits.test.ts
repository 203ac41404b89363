// The wait for a DNS lookup to begin, with a fake clock.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLookupLimits } from '../../../activities/egress/lookup-limits.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('a lookup that waited too long for its domain is rejected without a wait for its project', async () => {
  const limited = createLookupLimits();
  const free = Promise.withResolvers<void>();
  const endless = () => new Promise<never>(() => undefined);
  const look = (name: string, ask: () => Promise<void>) => limited(name, 'prj_1', ask);
  void look('first.test', () => free.promise);
  for (let i = 1; i < 20; i++) void look(`busy-${i}.test`, endless);
  const late = Array.from({ length: 11 }, (_, i) => look(`${i}.known.test`, endless));
  const outcomes = Promise.allSettled(late);
  await nextTurn();
  vi.advanceTimersByTime(5_001);
  // It gets the one slot that becomes free, before the last of the late ones.
  void look('fresh.test', endless);
  free.resolve();
  const refused = { status: 'rejected', reason: { code: 'EAI_AGAIN' } };
  expect(await outcomes).toMatchObject(late.map(() => refused));
});
