// The retry schedule of deliveries to receivers that hang. Temporal skips time; everything else is real.
import { describe, expect, test } from 'vitest';
import { endMsOf, expectSchedule, useBatchRuns } from '../../support/receivers/batch-runs.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';

const { runBatch } = useBatchRuns();

describe('deliverEvents', () => {
  test('counts a receiver that takes too long as failed', async () => {
    await using receiver = await startReceiver({
      respond: (_, n) => (n === 1 ? 'hang' : { status: 200 }),
    });
    const [run] = await runBatch([receiver.url]);
    const { delivery, attempts } = run!;
    expect(attempts[0]!.error_code).toBe('response_timeout');
    expect(delivery.status).toBe('delivered');
  });

  test('does not let a receiver that hangs delay others of its batch', async () => {
    await using good = await startReceiver();
    // Due 31 s after it began, while the second request to the other one hangs: from 30 s to 32 s.
    await using failing = await startReceiver({
      respond: (_, n) => ({ status: 503, delayMs: n === 1 ? 1_150 : 0 }),
    });
    await using hanging = await startReceiver({
      respond: (_, n) => (n === 2 ? 'hang' : { status: 503 }),
    });
    const urls = [good.url, failing.url, hanging.url];
    const [delivered, failed, hung] = await runBatch(urls, { timeoutMs: 2_200 });
    expect(delivered!.delivery).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(endMsOf(delivered!.attempts[0]!)).toBeLessThan(endMsOf(failed!.attempts[0]!));
    for (const { delivery, attempts } of [failed!, hung!]) {
      expect(delivery).toMatchObject({ status: 'failed', attempt_count: 4 });
      expectSchedule(attempts);
    }
    expect(hung!.attempts[1]).toMatchObject({ error_code: 'response_timeout' });
    expect(failed!.attempts[1]!.started_at.getTime()).toBeLessThan(endMsOf(hung!.attempts[1]!));
    expect([good, failing, hanging].map((receiver) => receiver.requests.length)).toEqual([1, 4, 4]);
  });
});
