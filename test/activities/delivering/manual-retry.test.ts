// Manual attempts in addition to those of the schedule, and their activity.
import { describe, expect, test, vi } from 'vitest';
import { createCallPlaces } from '../../../activities/call-places.ts';
import {
  createRetrying,
  type RetryingDependencies,
} from '../../../activities/delivering/manual-retry.ts';
import { createSafeFetch } from '../../../activities/egress/client.ts';
import { insertPause } from '../../../schema/database/pauses.ts';
import { createVault } from '../../../schema/database/vault.ts';
import { useApp } from '../../support/app/app.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import {
  ok,
  send,
  startScripted,
  triggersOf,
  unavailable,
} from '../../support/receivers/retries.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
type Json = any;

// Long enough for a manual attempt on a busy machine.
const app = useApp({ env: { FANFARE_DELIVERY_DELAYS_MS: '5000' } });

/** The workflow starts after the first attempt. */
async function waitForWorkflow(workflowId: string): Promise<void> {
  const handle = app.namespace.client.workflow.getHandle(workflowId);
  await vi.waitFor(() => handle.describe(), { timeout: 20_000 });
  await handle.result();
}

describe.concurrent('a manual attempt', () => {
  test('that succeeds ends the retry schedule of its delivery', async () => {
    await using receiver = await startScripted(unavailable, ok);
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(1);
    await delivery.retry();
    const delivered = await delivery.waitForAttempts(2);
    expect(delivered).toMatchObject({ status: 'delivered', next_attempt_at: null });
    expect(delivered.attempts[1]).toMatchObject({ trigger: 'manual', next_attempt_at: null });
    await waitForWorkflow(delivered.workflow_id);
    expect(receiver.requests).toHaveLength(2);
    expect(await delivery.read()).toEqual(delivered);
  });

  test('is logged beside a scheduled attempt in flight', async () => {
    const gate = Promise.withResolvers<void>();
    await using receiver = await startReceiver({
      respond: async (_, n) => {
        if (n === 2) gate.resolve();
        await gate.promise;
        return n === 1 ? unavailable : ok;
      },
    });
    const delivery = await send(app, receiver);
    await receiver.waitForCount(1);
    await delivery.retry();
    const both = await delivery.waitForAttempts(2);
    expect(both).toMatchObject({ status: 'delivered', attempt_count: 2, next_attempt_at: null });
    expect(both.attempts.map((attempt: Json) => attempt.number)).toEqual([1, 2]);
    expect(triggersOf(both).toSorted()).toEqual(['manual', 'schedule']);
    await waitForWorkflow(both.workflow_id);
    expect(receiver.requests).toHaveLength(2);
  });

  test('does not prevent the success of a later scheduled attempt', async () => {
    const gate = Promise.withResolvers<void>();
    await using receiver = await startReceiver({
      respond: async (_, n) => {
        if (n === 1) await gate.promise;
        return ok;
      },
    });
    const delivery = await send(app, receiver);
    await receiver.waitForCount(1);
    await delivery.retry();
    expect(triggersOf(await delivery.waitForAttempts(1))).toEqual(['manual']);
    expect(await delivery.readRow()).toMatchObject({ is_delivered_manually: true });
    expect(await delivery.getWebhook()).toMatchObject({ last_delivery_at: null });
    gate.resolve();
    const { attempts, delivered_at } = await delivery.waitForAttempts(2);
    expect(attempts).toMatchObject([
      { number: 1, trigger: 'manual' },
      { number: 2, trigger: 'schedule' },
    ]);
    expect(await delivery.readRow()).toMatchObject({ is_delivered_manually: false });
    expect(await delivery.getWebhook()).toMatchObject({ last_delivery_at: delivered_at });
  });
});

describe.concurrent('attemptOnce', () => {
  test('sends nothing once the webhook is deleted', async () => {
    await using receiver = await startScripted(unavailable);
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(1);
    await delivery.tenant.api.delete(`/v1/webhooks/${delivery.webhookId}`);
    await attemptOnce(delivery.id);
    expect(receiver.requests).toHaveLength(1);
    expect(await delivery.read()).toMatchObject({ status: 'canceled', attempt_count: 1 });
  });

  test('does not mark a delivery as manual if the schedule delivered it before a replay', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
    const { delivered_at } = await delivery.waitForAttempts(1);
    await app.context.db
      .updateTable('deliveries')
      .set({ status: 'retrying' })
      .where('id', '=', delivery.id)
      .execute();
    await attemptOnce(delivery.id);
    expect(await delivery.read()).toMatchObject({ status: 'delivered', delivered_at });
    expect(await delivery.readRow()).toMatchObject({ is_delivered_manually: false });
    expect(await delivery.getWebhook()).toMatchObject({ last_delivery_at: delivered_at });
  });

  test('throws, so that Temporal tries again, when the secrets cannot be opened', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(1);
    const vault = createVault(new Map([['other', Buffer.alloc(32)]]), 'other');
    await expect(attemptOnce(delivery.id, { vault })).rejects.toThrow(/can't be signed/);
    expect(receiver.requests).toHaveLength(1);
  });

  test('asks Temporal to try again later if all connections to the receiver are busy', async () => {
    const gate = Promise.withResolvers<void>();
    await using receiver = await startReceiver({
      respond: async (_, n) => {
        if (n > 1) await gate.promise;
        return ok;
      },
    });
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(1);
    const { guard } = app.context;
    const safeFetch = createSafeFetch({ guard, connectionsPerOrigin: 1 });
    const busy = safeFetch.send({ owner: delivery.tenant.projectId, url: receiver.url });
    await receiver.waitForCount(2);
    const attempted = attemptOnce(delivery.id, { safeFetch, beginWithinMs: 50 });
    await expect(attempted).rejects.toMatchObject({
      type: 'NotBegunError',
      nonRetryable: false,
      nextRetryDelay: expect.any(Number),
    });
    gate.resolve();
    await busy;
    await attemptOnce(delivery.id, { safeFetch });
    expect(await delivery.read()).toMatchObject({ attempt_count: 2 });
    await safeFetch.close();
  });

  test('asks Temporal to try again while its project has too many calls in progress', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(1);
    const places = createCallPlaces(1);
    const held = places.acquire(delivery.tenant.projectId);
    await expect(attemptOnce(delivery.id, { places })).rejects.toMatchObject({
      type: 'CrowdedError',
      nonRetryable: false,
      nextRetryDelay: 5_000,
    });
    held![Symbol.dispose]();
    for (let i = 0; i < 2; i++) await attemptOnce(delivery.id, { places });
    expect(receiver.requests).toHaveLength(3);
  });

  test('waits for the end of a pause that began after its request', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(1);
    // Never committed, so that other deliveries continue.
    const { db } = app.context;
    const held = db.transaction().execute(async (trx) => {
      await insertPause(trx, 'deliveries');
      return attemptOnce(delivery.id, { db: trx });
    });
    await expect(held).rejects.toMatchObject({ type: 'PausedError', nonRetryable: false });
    expect(receiver.requests).toHaveLength(1);
    await attemptOnce(delivery.id);
    expect(receiver.requests).toHaveLength(2);
  });

  async function attemptOnce(
    deliveryId: string,
    own: Partial<RetryingDependencies> = {},
  ): Promise<void> {
    const { db, notifier, guard, vault } = app.context;
    const safeFetch = createSafeFetch({ guard });
    const places = createCallPlaces(1);
    const dependencies = {
      db,
      notifier,
      vault,
      safeFetch,
      places,
      timeoutMs: 1_000,
      now: Date.now,
    };
    try {
      await createRetrying({ ...dependencies, ...own }).attemptOnce({ deliveryId });
    } finally {
      await safeFetch.close();
    }
  }
});
