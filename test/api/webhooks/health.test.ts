// How a webhook fares, over REST: the warning, the count of failures, disabling and enabling by the user.
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  insertAttempts,
  type AttemptRecord,
} from '../../../schema/database/webhooks/delivery-attempts.ts';
import { insertManualAttempt } from '../../../schema/database/webhooks/manual-attempts.ts';
import { recordTestEvent } from '../../../schema/database/events/record.ts';
import { attempt, exchange, failedForGood, refused } from '../../support/rows/attempts.ts';
import { changesOf } from '../../support/receivers/delivery-rows.ts';
import { createTestRest, type TestKey, type TestRest } from '../../support/app/rest.ts';
import { addEvent } from '../../support/rows/rows.ts';
import { inQuietTransaction, quietNotifier } from '../../support/rows/quiet-transaction.ts';

const lines: Record<string, unknown>[] = [];

let rest: TestRest;
let tenant: TestKey;
let id: string;

beforeAll(async () => {
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  rest = await createTestRest({}, { log: pino({ level: 'info' }, { write }) });
});
afterAll(() => rest[Symbol.asyncDispose]());

beforeEach(async () => {
  tenant = await rest.createTenant();
  const { body } = await rest.call('POST', '/v1/webhooks', {
    key: tenant.key,
    body: { url: 'https://example.com/hook?token=word', events: ['account.connected'] },
  });
  id = body.data.id;
  lines.length = 0;
});

const read = async () =>
  (await rest.call('GET', `/v1/webhooks/${id}`, { key: tenant.key })).body.data;

async function patch(body: Record<string, unknown>) {
  const answer = await rest.call('PATCH', `/v1/webhooks/${id}`, { key: tenant.key, body });
  expect(answer.status).toBe(200);
  return answer.body.data;
}

async function addDelivery(): Promise<string> {
  return (await addEvent(rest.context.db, tenant.projectId))[0]!;
}

async function addTest(): Promise<string> {
  const { projectId } = tenant;
  const event = {
    projectId,
    webhookId: id,
    environment: 'production',
    type: 'account.connected',
    data: {},
  } as const;
  const { db } = rest.context;
  return (await inQuietTransaction(db, (trx) => recordTestEvent(trx, event))).deliveryId;
}

const record = (...attempts: AttemptRecord[]) =>
  insertAttempts(rest.context.db, quietNotifier, attempts);

async function fail(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await record(failedForGood(await addDelivery()));
}

const delivery = async (deliveryId: string) =>
  (await rest.call('GET', `/v1/deliveries/${deliveryId}`, { key: tenant.key })).body.data;

const changes = () => changesOf(rest.context.db, id);

describe('the health of a webhook', () => {
  test('warns from the first failed attempt to the next delivery, and counts final failures', async () => {
    const waiting = await addDelivery();
    const next_attempt_at = new Date(Date.now() + 30_000);
    await record(attempt(waiting, { ...refused, status: 'retrying', next_attempt_at }));
    const { failing_since, ...warned } = await read();
    expect(Math.abs(Date.parse(failing_since) - Date.now())).toBeLessThan(10_000);
    expect(warned).toMatchObject({ status: 'active', consecutive_failures: 0 });
    await fail(2);
    expect(await read()).toMatchObject({ failing_since, consecutive_failures: 2 });
    const ended_at = new Date();
    await record(attempt(waiting, { scheduled_attempts: 1, ended_at }));
    expect(await read()).toMatchObject({
      failing_since: null,
      consecutive_failures: 0,
      last_delivery_at: ended_at.toISOString(),
    });
    expect(await changes()).toEqual(['created', 'failing', 'recovered']);
  });

  test('counts up to a hundred failures', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 103; i++) ids.push(await addDelivery());
    await record(...ids.map((deliveryId) => failedForGood(deliveryId)));
    expect(await read()).toMatchObject({ consecutive_failures: 100 });
  });

  test('does not depend on test events or on manual attempts', async () => {
    const { db } = rest.context;
    await fail(1);
    const byHand = await addDelivery();
    await record(failedForGood(byHand));
    const before = await read();
    const tests = await Promise.all([1, 2].map(() => addTest()));
    await record(failedForGood(tests[0]!), attempt(tests[1]!));
    await inQuietTransaction(db, (trx) => insertManualAttempt(trx, byHand, exchange(refused)));
    await inQuietTransaction(db, (trx) => insertManualAttempt(trx, byHand, exchange()));
    expect(await delivery(byHand)).toMatchObject({ status: 'delivered', attempt_count: 3 });
    expect(await read()).toEqual({ ...before, consecutive_failures: 2 });
    expect(await changes()).toEqual(['created', 'failing']);
  });

  test('leaves the schedule of a delivery as it is while attempts are made by hand', async () => {
    const { db } = rest.context;
    const waiting = await addDelivery();
    const next_attempt_at = new Date(Date.now() + 30_000);
    await record(attempt(waiting, { ...refused, status: 'retrying', next_attempt_at }));
    await inQuietTransaction(db, (trx) => insertManualAttempt(trx, waiting, exchange(refused)));
    expect(await delivery(waiting)).toMatchObject({
      status: 'retrying',
      next_attempt_at: next_attempt_at.toISOString(),
      attempt_count: 2,
    });
    await record(failedForGood(waiting, { scheduled_attempts: 1 }));
    expect(await delivery(waiting)).toMatchObject({ status: 'failed', attempt_count: 3 });
    expect(await read()).toMatchObject({ consecutive_failures: 1 });
  });
});

describe('PATCH /v1/webhooks/:id', () => {
  test('active: false skips waiting deliveries, and reports it once', async () => {
    const waiting = await addDelivery();
    await fail(1);
    expect(await patch({ active: false })).toMatchObject({
      status: 'disabled',
      disabled_reason: 'user',
      failing_since: expect.any(String),
    });
    expect(await delivery(waiting)).toMatchObject({ status: 'skipped', next_attempt_at: null });
    expect(await delivery(await addDelivery())).toMatchObject({ status: 'skipped' });
    const { disabled_at } = await read();
    expect(await patch({ active: false })).toMatchObject({ disabled_at });
    expect(await changes()).toEqual(['created', 'failing', 'disabled']);
    expect(lines).toMatchObject([{ level: 30, msg: 'webhook disabled', subject_id: id }]);
    expect(JSON.stringify(lines)).not.toMatch(/hook\?|word/);
  });

  test('active: true clears the warning and begins a new count', async () => {
    await fail(3);
    await rest.context.db
      .updateTable('webhook_subscriptions')
      .set({ status: 'disabled', disabled_reason: 'failures', disabled_at: new Date() })
      .where('id', '=', id)
      .execute();
    expect(await read()).toMatchObject({ active: false, consecutive_failures: 3 });
    expect(await patch({ active: true })).toMatchObject({
      status: 'active',
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      consecutive_failures: 0,
    });
    await fail(1);
    expect(await read()).toMatchObject({
      failing_since: expect.any(String),
      consecutive_failures: 1,
    });
    expect(await changes()).toEqual(['created', 'failing', 'enabled', 'failing']);
    expect(lines).toMatchObject([{ level: 30, msg: 'webhook enabled', subject_id: id }]);
  });

  test('active: true on an active webhook begins no new count', async () => {
    await fail(2);
    expect(await patch({ active: true })).toMatchObject({
      failing_since: expect.any(String),
      consecutive_failures: 2,
    });
    expect(lines).toEqual([]);
  });

  test('reports a change of active apart from other changes', async () => {
    await patch({ active: false, name: 'a' });
    await patch({ active: true });
    await patch({ name: 'b' });
    expect(await changes()).toEqual(['created', 'updated', 'disabled', 'enabled', 'updated']);
  });
});

describe('GET /metrics', () => {
  test('counts the deliveries that wait, and says for how long the oldest one has been due', async () => {
    await using other = await createTestRest();
    const figures = async () => {
      const { body } = await other.call('GET', '/metrics');
      const found = String(body).matchAll(
        /^fanfare_deliveries_(waiting\S+|overdue_seconds) ([\d.]+)$/gm,
      );
      return Object.fromEntries([...found].map(([, name, figure]) => [name, Number(figure)]));
    };
    expect(await figures()).toEqual({
      'waiting{status="pending"}': 0,
      'waiting{status="retrying"}': 0,
      overdue_seconds: 0,
    });
    const { key, projectId } = await other.createTenant();
    const body = { url: 'https://example.com', events: ['account.connected'] };
    await other.call('POST', '/v1/webhooks', { key, body });
    const { db } = other.context;
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push((await addEvent(db, projectId))[0]!);
    await insertAttempts(db, quietNotifier, [
      attempt(ids[0]!),
      attempt(ids[1]!, { ...refused, status: 'retrying', next_attempt_at: new Date() }),
    ]);
    const dueAt = new Date(Date.now() - 60_000);
    const rows = db.updateTable('deliveries').set({ next_attempt_at: dueAt });
    await rows.where('id', '=', ids[2]!).execute();
    const { overdue_seconds: overdue, ...waiting } = await figures();
    expect(waiting).toEqual({
      'waiting{status="pending"}': 2,
      'waiting{status="retrying"}': 1,
    });
    expect(overdue).toBeGreaterThan(59);
    expect(overdue).toBeLessThan(90);
  });

  test('counts the webhooks by state, without those deleted', async () => {
    await using other = await createTestRest();
    const { key, projectId } = await other.createTenant();
    const ids: string[] = [];
    for (const active of [true, true, true, false, true]) {
      const body = { url: 'https://example.com', events: ['account.connected'], active };
      ids.push((await other.call('POST', '/v1/webhooks', { key, body })).body.data.id);
    }
    await other.call('DELETE', `/v1/webhooks/${ids[4]}`, { key });
    const rows = other.context.db.updateTable('webhook_subscriptions');
    await rows.set({ failing_since: new Date() }).where('id', '=', ids[0]!).execute();
    await rows
      .set({ status: 'disabled', disabled_reason: 'failures', failing_since: new Date() })
      .where('project_id', '=', projectId)
      .where('id', '=', ids[1]!)
      .execute();
    const { body } = await other.call('GET', '/metrics');
    const counts = [...String(body).matchAll(/^fanfare_webhooks\{state="(\w+)"\} (\d+)$/gm)];
    expect(Object.fromEntries(counts.map(([, state, count]) => [state, Number(count)]))).toEqual({
      healthy: 1,
      failing: 1,
      disabled_by_failures: 1,
      disabled_by_user: 1,
    });
  });
});
