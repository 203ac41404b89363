// When a phase makes its call, and how long it waits for the answer.
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../activities/platforms/platform.ts';
import { callPhase } from '../../../activities/publishing/run-phase.ts';
import { clock, noCalls } from '../../support/networks/call-ownership.ts';
import {
  connectSlowNetwork,
  startSlowNetwork,
  type SlowNetwork,
} from '../../support/slow-network.ts';

describe('callPhase', () => {
  const target = { resultId: 'res_1', media: [] as const } as unknown as Target;
  const never = new Promise<never>(() => undefined);
  const call = (network: SlowNetwork, spentMs: number) =>
    callPhase(
      { clock: { ...clock, lostAfterMs: 2 * 29_900 }, callTimeoutMs: 30_000 },
      'commit',
      connectSlowNetwork(network.url),
      target,
      performance.now() - spentMs,
    );

  test('sends nothing if its process has stalled since the call began', async () => {
    await using network = await startSlowNetwork({});
    expect(await call(network, 30_000)).toEqual({ outcome: 'stalled' });
    expect(network.calls).toEqual(noCalls);
  });

  test('counts its timeout from the start of the call', async () => {
    await using network = await startSlowNetwork({ commit: [{ until: never }] });
    await expect(call(network, 29_000)).rejects.toMatchObject({ kind: 'unknown_outcome' });
    expect(network.calls.commit).toBe(1);
  });
});
