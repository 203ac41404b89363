// The retry schedule of a delivery. Temporal skips time; everything else is real.
import { describe, expect, test } from 'vitest';
import type { DeliverEventsInput, WaitingDelivery } from '../../../schema/workflows.ts';
import { expectSchedule, useBatchRuns } from '../../support/receivers/batch-runs.ts';
import { startReceiver, type Reply } from '../../support/receivers/receiver.ts';

const { runBatch, runWorkflow, currentTimeMs } = useBatchRuns();
const runSchedule = async (url: string) => (await runBatch([url]))[0]!;

describe('deliverEvents', () => {
  test('retries after 30 s, 2 min and 10 min, with four requests at most', async () => {
    await using receiver = await startReceiver({ respond: () => ({ status: 500 }) });
    const { delivery, attempts } = await runSchedule(receiver.url);
    expect(receiver.requests).toHaveLength(4);
    expect(delivery).toMatchObject({
      status: 'failed',
      attempt_count: 4,
      last_status_code: 500,
      last_error_code: 'http_5xx',
      next_attempt_at: null,
    });
    expect(attempts.map((attempt) => attempt.number)).toEqual([1, 2, 3, 4]);
    expectSchedule(attempts);
    expect(attempts.at(-1)!.next_attempt_at).toBeNull();
  });

  test('stops at the first 2xx, and sends the same bytes and delivery id every time', async () => {
    const replies: Reply[] = ['reset', { status: 429 }, { status: 204 }];
    await using receiver = await startReceiver({ respond: (_, n) => replies[n - 1]! });
    const { delivery, attempts } = await runSchedule(receiver.url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 3 });
    expect(attempts.map((attempt) => attempt.error_code)).toEqual([
      'connection_reset',
      'http_4xx',
      null,
    ]);
    const [first, ...others] = receiver.requests;
    for (const other of others) {
      expect(other.body.equals(first!.body)).toBe(true);
      expect(other.headers['x-service-delivery']).toBe(delivery.id);
    }
  });

  test('waits longer when a receiver asks for it, up to the next step', async () => {
    const asked = ['75', '86400', '5'];
    await using receiver = await startReceiver({
      respond: (_, n) => ({ status: 503, headers: { 'Retry-After': asked[n - 1] ?? '1' } }),
    });
    const { attempts } = await runSchedule(receiver.url);
    expectSchedule(attempts, [75, 600, 600]);
  });

  test('continues as a new execution after 50 batch runs, with the unfinished deliveries', async () => {
    const ids = ['done', 'busy', 'failing'];
    const calls: string[][] = [];
    const attempts = new Map<string, number>();
    // Receivers keep all connections busy, so deliveries are released unattempted, 30 times each.
    const attempt = async ({
      deliveryIds = [],
    }: DeliverEventsInput): Promise<WaitingDelivery[]> => {
      calls.push(deliveryIds);
      const nowMs = await currentTimeMs();
      return deliveryIds.flatMap((deliveryId) => {
        const times = calls.filter((call) => call.includes(deliveryId)).length;
        const waitMs = deliveryId === 'busy' ? 10_000 : 17_000;
        const due = { dueAtMs: nowMs + waitMs, waitMs };
        if (deliveryId !== 'done' && times <= 30) return [{ deliveryId, attemptCount: 0, ...due }];
        const attemptCount = (attempts.get(deliveryId) ?? 0) + 1;
        attempts.set(deliveryId, attemptCount);
        const isOver = deliveryId !== 'failing' || attemptCount === 4;
        return isOver ? [] : [{ deliveryId, attemptCount, ...due }];
      });
    };
    const input = { batchId: 'runs', deliveryIds: ids, isFailing: true };
    const executions = await runWorkflow('runs', input, {
      deliver: () => Promise.reject(new Error('A failing batch is no local activity.')),
      deliverAgain: attempt,
    });
    expect(executions).toBe(2);
    expect(Object.fromEntries(attempts)).toEqual({ done: 1, busy: 1, failing: 4 });
    expect(calls.length).toBeGreaterThan(60);
    expect(calls.filter((call) => call.includes('done'))).toEqual([ids]);
  });
});
