// Retries of one delivery by hand: an extra attempt each, beside a schedule that stays as it is.
import { describe, expect, test } from 'vitest';
import { newId } from '../../../schema/wire/ids.ts';
import { useApp } from '../../support/app/app.ts';
import { changesOf } from '../../support/receivers/delivery-rows.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import {
  ok,
  send,
  startScripted,
  triggersOf,
  unavailable,
} from '../../support/receivers/retries.ts';

const app = useApp({ env: { FANFARE_DELIVERY_DELAYS_MS: '5000' } });

describe.concurrent('POST /v1/deliveries/:id/retry', () => {
  test('makes another attempt at once, and leaves the schedule as it is', async () => {
    await using receiver = await startScripted(unavailable);
    const delivery = await send(app, receiver);
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
    expect(await delivery.getWebhook()).toMatchObject({
      consecutive_failures: 1,
      failing_since: warnedAt,
    });
    expect(await changesOf(app.context.db, delivery.id)).toEqual([
      'created',
      'retrying',
      'attempted',
      'failed',
    ]);
    const sent = receiver.requests;
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  });

  test('delivers a failed delivery, and delivers a delivered one again with a notice', async () => {
    await using receiver = await startScripted(unavailable, unavailable, unavailable, ok);
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(2);
    const { failed_at, concluded_at } = await delivery.readRow();
    const warned = await delivery.getWebhook();
    expect(warned).toMatchObject({ consecutive_failures: 1, last_delivery_at: null });
    await delivery.retry();
    const failed = await delivery.waitForAttempts(3);
    expect(failed).toMatchObject({ status: 'failed', delivered_at: null, next_attempt_at: null });
    expect(await delivery.readRow()).toMatchObject({ failed_at, concluded_at });

    expect((await delivery.retry()).body.data.notice).toBeNull();
    const delivered = await delivery.waitForAttempts(4);
    expect(delivered).toMatchObject({
      status: 'delivered',
      last_status_code: 200,
      last_error_code: null,
      delivered_at: expect.any(String),
    });
    const row = await delivery.readRow();
    expect(row).toMatchObject({ failed_at, concluded_at, is_delivered_manually: true });
    expect(await delivery.getWebhook()).toEqual(warned);

    const again = await delivery.retry();
    expect(again).toMatchObject({ status: 202, body: { data: { status: 'delivered' } } });
    expect(again.body.data.notice).toMatch(/already delivered.*again/);
    receiver.respondWith(() => unavailable);
    const { delivered_at } = delivered;
    expect(await delivery.waitForAttempts(5)).toMatchObject({ status: 'delivered', delivered_at });
    expect(await delivery.readRow()).toMatchObject({ failed_at, concluded_at });
    expect(await changesOf(app.context.db, delivery.id)).toEqual([
      'created',
      'retrying',
      'failed',
      'attempted',
      'delivered',
      'attempted',
    ]);
  });

  test('can be requested many times at once, and each attempt is logged with its own number', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
    await delivery.waitForAttempts(1);
    await Promise.all(Array.from({ length: 8 }, () => delivery.retry()));
    const { attempts, attempt_count } = await delivery.waitForAttempts(9);
    expect(attempts.map(({ number }: { number: number }) => number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    expect(attempt_count).toBe(9);
  });

  test('reaches a disabled webhook, and leaves it disabled', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver, { isActive: false });
    expect(await delivery.read()).toMatchObject({ status: 'skipped', attempt_count: 0 });
    await delivery.retry();
    const delivered = await delivery.waitForAttempts(1);
    expect(delivered).toMatchObject({ status: 'delivered', attempts: [{ trigger: 'manual' }] });
    expect(await delivery.getWebhook()).toMatchObject({ status: 'disabled' });
  });

  test('answers a repeat with the same Idempotency-Key as the first time', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
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
    const [deleted, pruned] = await Promise.all([send(app, receiver), send(app, receiver)]);
    await Promise.all([deleted.waitForAttempts(1), pruned.waitForAttempts(1)]);
    await deleted.tenant.api.delete(`/v1/webhooks/${deleted.webhookId}`);
    await app.context.db
      .deleteFrom('events')
      .where('project_id', '=', pruned.tenant.projectId)
      .execute();
    const messages = [/webhook.*deleted/, /event.*no longer stored/];
    for (const [i, delivery] of [deleted, pruned].entries()) {
      expect(await delivery.retry()).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict', message: expect.stringMatching(messages[i]!) } },
      });
      expect(await delivery.read()).toMatchObject({ attempt_count: 1 });
    }
  });

  test("refuses another project's delivery, and an unknown delivery", async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
    for (const id of [delivery.id, newId('delivery')]) {
      const answer = await app.api.post(`/v1/deliveries/${id}/retry`);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
  });
});

describe('retryDelivery', () => {
  const mutation = `mutation ($id: ID!, $key: String) {
    retryDelivery(id: $id, idempotencyKey: $key) { notice delivery { id status } }
  }`;

  test('retries a delivery in GraphQL, once per idempotency key', async () => {
    await using receiver = await startScripted(ok);
    const delivery = await send(app, receiver);
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
