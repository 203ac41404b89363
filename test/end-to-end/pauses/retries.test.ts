// While an operator pauses all deliveries, retries and test events wait. Afterwards they keep their place.
import { afterEach, describe, expect, test } from 'vitest';
import { pause, resume } from '../../../api/cli/pause.ts';
import { useApp } from '../../support/app/app.ts';
import { waitForRelayPoll } from '../../support/receivers/relay-polls.ts';
import { ok, send, startScripted, unavailable } from '../../support/receivers/retries.ts';

/** The end of a pause takes effect within this time. */
const effectiveMs = 5_000;
const retryAfterMs = 1_500;

const app = useApp({ env: { FANFARE_DELIVERY_DELAYS_MS: `${retryAfterMs},600000` } });
afterEach(() => resume(app.context, 'deliveries'));

const pauseDeliveries = () => pause(app.context.db, 'deliveries');
const resumeDeliveries = () => resume(app.context, 'deliveries');

describe('while deliveries are paused', () => {
  test('a retry waits, and the delivery continues where its retry schedule was', async () => {
    await using receiver = await startScripted(unavailable, unavailable, ok);
    const delivery = await send(app, receiver);
    const failed = await delivery.waitForAttempts(1);
    await pauseDeliveries();
    // The next attempt finds the pause and leaves the delivery to the relay: no workflow waits.
    await expect
      .poll(async () => (await delivery.readRow()).batch_id, { timeout: 10_000 })
      .toBeNull();
    await waitForRelayPoll();
    expect(await delivery.read()).toMatchObject({
      status: 'retrying',
      attempt_count: 1,
      next_attempt_at: failed.next_attempt_at,
      workflow_id: null,
    });
    expect(receiver.requests).toHaveLength(1);
    await resumeDeliveries();
    const again = await delivery.waitForAttempts(2);
    expect(again).toMatchObject({ status: 'retrying', attempt_count: 2 });
    // The second step of the retry schedule, not the first again.
    expect(Date.parse(again.next_attempt_at)).toBeGreaterThan(Date.now() + 500_000);
    expect(receiver.requests).toHaveLength(2);
  });

  test('a retry that is due after they are resumed keeps its time', async () => {
    await using receiver = await startScripted(unavailable, ok);
    const delivery = await send(app, receiver);
    const { next_attempt_at, workflow_id } = await delivery.waitForAttempts(1);
    await pauseDeliveries();
    await resumeDeliveries();
    const delivered = await delivery.waitForAttempts(2);
    expect(delivered).toMatchObject({ status: 'delivered', workflow_id });
    const startedAt = Date.parse(delivered.attempts[1].started_at);
    expect(startedAt).toBeGreaterThanOrEqual(Date.parse(next_attempt_at));
    expect(receiver.requests).toHaveLength(2);
  });

  test('a manual retry is refused, and a test event waits', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(1);
    await pauseDeliveries();
    expect(await delivery.retry()).toMatchObject({
      status: 409,
      body: {
        error: { code: 'conflict', message: 'Deliveries are paused by the operator.' },
      },
    });
    const sample = await delivery.tenant.api.post(`/v1/webhooks/${delivery.webhookId}/test`, {});
    expect(sample.status).toBe(202);
    await waitForRelayPoll();
    const waiting = await app.context.db
      .selectFrom('deliveries')
      .select(['status', 'batch_id'])
      .where('webhook_id', '=', delivery.webhookId)
      .where('trigger', '=', 'test')
      .executeTakeFirst();
    expect(waiting).toEqual({ status: 'pending', batch_id: null });
    expect(receiver.requests).toHaveLength(1);
    await resumeDeliveries();
    await receiver.waitForCount(2, { timeoutMs: effectiveMs });
    expect(receiver.requests[1]!.headers['x-service-test']).toBe('true');
    expect(await delivery.retry()).toMatchObject({ status: 202 });
    await receiver.waitForCount(3);
  });
});
