// Retries of one delivery by hand: an extra attempt each, beside a schedule that stays as it is.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createRetrying } from '../../activities/retrying.ts';
import { createSafeFetch } from '../../activities/safe-fetch.ts';
import { createVault } from '../../schema/database/vault.ts';
import { newId } from '../../schema/ids.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, askRefused } from '../support/graphql.ts';
import { startReceiver, type Receiver, type Reply } from '../support/receiver.ts';
import type { Tenant } from '../support/seed.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
type Json = any;

/** Of the only retry of the ladder. */
const delayMs = 1_500;

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { FANFARE_DELIVERY_DELAYS_MS: String(delayMs) } });
});
afterAll(() => app.stop());

const unavailable: Reply = { status: 503 };
const ok: Reply = { status: 200 };

/** A receiver that gives these answers, the last of them on and on. */
function startScripted(...replies: Reply[]): Promise<Receiver> {
  return startReceiver({ respond: (_, n) => replies[Math.min(n, replies.length) - 1]! });
}

interface Sent {
  tenant: Tenant;
  webhookId: string;
  id: string;
  read(): Promise<Json>;
  retry(
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Json }>;
  getWebhook(): Promise<Json>;
  /** Once so many attempts are in its log. */
  waitForAttempts(count: number): Promise<Json>;
}

/** A project of its own with one event for one webhook. */
async function send({ url }: { url: string }, { isActive = true } = {}): Promise<Sent> {
  const tenant = await app.createTenant();
  const { api } = tenant;
  const webhook = await tenant.createWebhook(url, ['account.connected']);
  if (!isActive) await api.patch(`/v1/webhooks/${webhook.id}`, { active: false });
  await tenant.connectSandbox('ada');
  const list = await api.get(`/v1/webhooks/${webhook.id}/deliveries`);
  const { id } = list.body.data[0];
  const read = async () => (await api.get(`/v1/deliveries/${id}`)).body.data;
  return {
    tenant,
    webhookId: webhook.id,
    id,
    read,
    retry: (headers = {}) => api.post(`/v1/deliveries/${id}/retry`, undefined, { headers }),
    getWebhook: async () => (await api.get(`/v1/webhooks/${webhook.id}`)).body.data,
    async waitForAttempts(count) {
      const isThere = async () => {
        const delivery = await read();
        expect(delivery.attempts.length).toBeGreaterThanOrEqual(count);
        return delivery;
      };
      return vi.waitFor(isThere, { timeout: 10_000 });
    },
  };
}

const rowOf = (id: string) =>
  app.context.db
    .selectFrom('deliveries')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const changesOf = async (id: string) =>
  (
    await app.context.db
      .selectFrom('changes')
      .select('kind')
      .where('subject_id', '=', id)
      .orderBy('id')
      .execute()
  ).map(({ kind }) => kind);

const triggersOf = ({ attempts }: Json) => attempts.map((attempt: Json) => attempt.trigger);

async function waitForWorkflow(workflowId: string): Promise<void> {
  await app.namespace.client.workflow.getHandle(workflowId).result();
}

describe.concurrent('POST /v1/deliveries/:id/retry', () => {
  test('attempts once more at once, and leaves the schedule as it is', async () => {
    await using receiver = await startScripted(unavailable);
    const delivery = await send(receiver);
    const before = await delivery.waitForAttempts(1);
    const dueAt = before.next_attempt_at;
    const warnedAt = (await delivery.getWebhook()).failing_since;
    const { attempts: _, ...shown } = before;
    const answer = await delivery.retry();
    expect(answer.status).toBe(202);
    expect(answer.body.data).toEqual({ ...shown, notice: null });
    const between = await delivery.waitForAttempts(2);
    expect(between).toMatchObject({
      status: 'retrying',
      attempt_count: 2,
      next_attempt_at: dueAt,
      last_error_code: 'http_5xx',
      attempts: [
        { number: 1, trigger: 'schedule', next_attempt_at: dueAt },
        { number: 2, trigger: 'manual', next_attempt_at: dueAt, status_code: 503 },
      ],
    });
    expect(Date.parse(between.attempts[1].started_at)).toBeLessThan(Date.parse(dueAt));
    const after = await delivery.waitForAttempts(3);
    expect(after).toMatchObject({ status: 'failed', attempt_count: 3, next_attempt_at: null });
    expect(triggersOf(after)).toEqual(['schedule', 'manual', 'schedule']);
    const lateMs = Date.parse(after.attempts[2].started_at) - Date.parse(dueAt);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(1_500);
    expect(await delivery.getWebhook()).toMatchObject({
      consecutive_failures: 1,
      failing_since: warnedAt,
    });
    expect(await changesOf(delivery.id)).toEqual(['created', 'retrying', 'attempted', 'failed']);
    const sent = receiver.requests;
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  });

  test('delivers what had failed for good, and again what was delivered, with a notice', async () => {
    await using receiver = await startScripted(unavailable, unavailable, unavailable, ok);
    const delivery = await send(receiver);
    await delivery.waitForAttempts(2);
    const { failed_at, concluded_at } = await rowOf(delivery.id);
    const warned = await delivery.getWebhook();
    expect(warned).toMatchObject({ consecutive_failures: 1, last_delivery_at: null });
    await delivery.retry();
    const failed = await delivery.waitForAttempts(3);
    expect(failed).toMatchObject({ status: 'failed', delivered_at: null, next_attempt_at: null });
    expect(await rowOf(delivery.id)).toMatchObject({ failed_at, concluded_at });

    expect((await delivery.retry()).body.data.notice).toBeNull();
    const delivered = await delivery.waitForAttempts(4);
    expect(delivered).toMatchObject({
      status: 'delivered',
      last_status_code: 200,
      last_error_code: null,
      delivered_at: expect.any(String),
    });
    const row = await rowOf(delivery.id);
    expect(row).toMatchObject({ failed_at, concluded_at, is_delivered_manually: true });
    expect(await delivery.getWebhook()).toEqual(warned);

    const again = await delivery.retry();
    expect(again).toMatchObject({ status: 202, body: { data: { status: 'delivered' } } });
    expect(again.body.data.notice).toMatch(/delivered already.*again/);
    receiver.respondWith(() => unavailable);
    const { delivered_at } = delivered;
    expect(await delivery.waitForAttempts(5)).toMatchObject({ status: 'delivered', delivered_at });
    expect(await rowOf(delivery.id)).toMatchObject({ failed_at, concluded_at });
    expect(await changesOf(delivery.id)).toEqual([
      'created',
      'retrying',
      'failed',
      'attempted',
      'delivered',
      'attempted',
    ]);
  });

  test('ends the ladder of what it delivers: nothing further is sent', async () => {
    await using receiver = await startScripted(unavailable, ok);
    const delivery = await send(receiver);
    await delivery.waitForAttempts(1);
    await delivery.retry();
    const delivered = await delivery.waitForAttempts(2);
    expect(delivered).toMatchObject({ status: 'delivered', next_attempt_at: null });
    expect(delivered.attempts[1]).toMatchObject({ trigger: 'manual', next_attempt_at: null });
    await waitForWorkflow(delivered.workflow_id);
    expect(receiver.requests).toHaveLength(2);
    expect(await delivery.read()).toEqual(delivered);
  });

  test('is logged beside an attempt of the schedule that is under way', async () => {
    const gate = Promise.withResolvers<void>();
    await using receiver = await startReceiver({
      respond: async (_, n) => {
        if (n === 2) gate.resolve();
        await gate.promise;
        return n === 1 ? unavailable : ok;
      },
    });
    const delivery = await send(receiver);
    await receiver.waitForCount(1);
    await delivery.retry();
    const both = await delivery.waitForAttempts(2);
    expect(both).toMatchObject({ status: 'delivered', attempt_count: 2, next_attempt_at: null });
    expect(both.attempts.map((attempt: Json) => attempt.number)).toEqual([1, 2]);
    expect(triggersOf(both).toSorted()).toEqual(['manual', 'schedule']);
    await waitForWorkflow(both.workflow_id);
    expect(receiver.requests).toHaveLength(2);
  });

  test('takes nothing from an attempt of the schedule that succeeds after it', async () => {
    const gate = Promise.withResolvers<void>();
    await using receiver = await startReceiver({
      respond: async (_, n) => {
        if (n === 1) await gate.promise;
        return ok;
      },
    });
    const delivery = await send(receiver);
    await receiver.waitForCount(1);
    await delivery.retry();
    expect(triggersOf(await delivery.waitForAttempts(1))).toEqual(['manual']);
    expect(await rowOf(delivery.id)).toMatchObject({ is_delivered_manually: true });
    expect(await delivery.getWebhook()).toMatchObject({ last_delivery_at: null });
    gate.resolve();
    const { attempts, delivered_at } = await delivery.waitForAttempts(2);
    expect(attempts).toMatchObject([
      { number: 1, trigger: 'manual' },
      { number: 2, trigger: 'schedule' },
    ]);
    expect(await rowOf(delivery.id)).toMatchObject({ is_delivered_manually: false });
    expect(await delivery.getWebhook()).toMatchObject({ last_delivery_at: delivered_at });
  });

  test('may be asked for many times at once: each is logged with a number of its own', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(receiver);
    await delivery.waitForAttempts(1);
    await Promise.all(Array.from({ length: 8 }, () => delivery.retry()));
    const { attempts, attempt_count } = await delivery.waitForAttempts(9);
    expect(attempts.map((attempt: Json) => attempt.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(attempt_count).toBe(9);
  });

  test('reaches a disabled webhook, and leaves it disabled', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(receiver, { isActive: false });
    expect(await delivery.read()).toMatchObject({ status: 'skipped', attempt_count: 0 });
    await delivery.retry();
    const delivered = await delivery.waitForAttempts(1);
    expect(delivered).toMatchObject({ status: 'delivered', attempts: [{ trigger: 'manual' }] });
    expect(await delivery.getWebhook()).toMatchObject({ status: 'disabled' });
  });

  test('is answered once for an Idempotency-Key', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(receiver);
    await delivery.waitForAttempts(1);
    const key = { 'Idempotency-Key': 'again' };
    const [first, second] = [await delivery.retry(key), await delivery.retry(key)];
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second).toMatchObject({ status: 202, body: { data: first.body.data } });
    await delivery.retry();
    expect((await delivery.waitForAttempts(3)).attempts).toHaveLength(3);
  });

  test('is a conflict when the webhook was deleted or the event was pruned', async () => {
    await using receiver = await startScripted(ok);
    const [deleted, pruned] = await Promise.all([send(receiver), send(receiver)]);
    await Promise.all([deleted.waitForAttempts(1), pruned.waitForAttempts(1)]);
    await deleted.tenant.api.delete(`/v1/webhooks/${deleted.webhookId}`);
    await app.context.db
      .deleteFrom('events')
      .where('project_id', '=', pruned.tenant.projectId)
      .execute();
    const messages = [/webhook.*deleted/, /event.*no longer kept/];
    for (const [i, delivery] of [deleted, pruned].entries()) {
      expect(await delivery.retry()).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict', message: expect.stringMatching(messages[i]!) } },
      });
      expect(await delivery.read()).toMatchObject({ attempt_count: 1 });
    }
  });

  test("refuses another project's delivery and one that is not there", async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(receiver);
    for (const id of [delivery.id, newId('delivery')]) {
      const answer = await app.api.post(`/v1/deliveries/${id}/retry`);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
  });
});

describe.concurrent('attemptOnce', () => {
  test('sends nothing once the webhook is deleted', async () => {
    await using receiver = await startScripted(unavailable);
    const delivery = await send(receiver);
    await delivery.waitForAttempts(1);
    await delivery.tenant.api.delete(`/v1/webhooks/${delivery.webhookId}`);
    await attemptOnce(delivery.id);
    expect(receiver.requests).toHaveLength(1);
    expect(await delivery.read()).toMatchObject({ status: 'canceled', attempt_count: 1 });
  });

  test('counts what the schedule had delivered, and a replay sends again, as it did', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(receiver);
    const { delivered_at } = await delivery.waitForAttempts(1);
    await app.context.db
      .updateTable('deliveries')
      .set({ status: 'retrying' })
      .where('id', '=', delivery.id)
      .execute();
    await attemptOnce(delivery.id);
    expect(await delivery.read()).toMatchObject({ status: 'delivered', delivered_at });
    expect(await rowOf(delivery.id)).toMatchObject({ is_delivered_manually: false });
    expect(await delivery.getWebhook()).toMatchObject({ last_delivery_at: delivered_at });
  });

  test('throws, to be tried again, when the secrets cannot be opened', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(receiver);
    await delivery.waitForAttempts(1);
    const vault = createVault(new Map([['other', Buffer.alloc(32)]]), 'other');
    await expect(attemptOnce(delivery.id, vault)).rejects.toThrow(/can't be signed/);
    expect(receiver.requests).toHaveLength(1);
  });

  async function attemptOnce(deliveryId: string, vault = app.context.vault): Promise<void> {
    const { db, doorbell, guard } = app.context;
    const safeFetch = createSafeFetch({ guard });
    const dependencies = { db, doorbell, vault, safeFetch, timeoutMs: 1_000, now: Date.now };
    try {
      await createRetrying(dependencies).attemptOnce({ deliveryId });
    } finally {
      await safeFetch.close();
    }
  }
});

describe('retryDelivery', () => {
  const mutation = `mutation ($id: ID!, $key: String) {
    retryDelivery(id: $id, idempotencyKey: $key) { notice delivery { id status } }
  }`;

  test('retries from GraphQL, once for a key', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(receiver);
    const { id, tenant, webhookId } = delivery;
    await delivery.waitForAttempts(1);
    const variables = { id, key: 'graphql-1' };
    const answer = await ask(app, mutation, variables, tenant.key);
    expect(answer.retryDelivery).toEqual({
      notice: expect.stringMatching(/again/),
      delivery: { id, status: 'DELIVERED' },
    });
    expect(await ask(app, mutation, variables, tenant.key)).toEqual(answer);
    expect((await delivery.waitForAttempts(2)).attempts).toHaveLength(2);
    expect(await askRefused(app, mutation, { id })).toMatchObject({ code: 'not_found' });
    await tenant.api.delete(`/v1/webhooks/${webhookId}`);
    expect(await askRefused(app, mutation, { id }, tenant.key)).toMatchObject({ code: 'conflict' });
  });
});
