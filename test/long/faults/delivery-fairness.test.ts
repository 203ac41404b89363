// One endpoint that hangs, refuses or is given thousands at once: no other is made late by it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventType } from '../../../schema/event-types.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { elapse } from '../../support/elapse.ts';
import { startCountingReceiver } from '../../support/receivers/counting-receiver.ts';
import {
  startReceiver,
  type Receiver,
  type ReceivedRequest,
} from '../../support/receivers/receiver.ts';
import { commitEvents } from '../../support/rows/events.ts';

async function commit(
  { context: { db, notifier }, tenant: { projectId } }: TestApp,
  count: number,
  type: EventType = 'post.published',
): Promise<void> {
  const event = { projectId, environment: 'production', type, data: { id: 'post_1' } } as const;
  await commitEvents(db, event, count);
  notifier.notify('fanfare_deliveries');
}

/** One by one, evenly over so long. */
async function commitSpread(
  app: TestApp,
  type: EventType,
  { count, overMs }: { count: number; overMs: number },
): Promise<void> {
  const why = 'events have to come during all of what the other endpoint does';
  for (let i = 0; i < count; i++) {
    await Promise.all([commit(app, 1, type), elapse(overMs / count, why)]);
  }
}

/** How late the latest came of all but one in a hundred. */
function latenessMs({ requests }: Pick<Receiver, 'requests'>): number {
  const late = requests.map(
    (request: ReceivedRequest) =>
      request.receivedAt.getTime() - Date.parse(request.json().timestamp),
  );
  return late.toSorted((a, b) => a - b)[Math.ceil(late.length * 0.99) - 1]!;
}

async function countDeliveries(
  { context }: TestApp,
  webhookId: string,
  ...[column, value]: ['status', 'failed'] | ['last_error_code', string]
): Promise<number> {
  const { count } = await context.db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('webhook_id', '=', webhookId)
    .where(column, '=', value)
    .executeTakeFirstOrThrow();
  return Number(count);
}

describe('an endpoint that hangs', () => {
  // So many that each may hold up a round of deliveries until its limit.
  const perEndpoint = 60;
  const timeoutMs = 6_000;
  const eventCount = 200;
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({
      env: {
        FANFARE_DELIVERIES_PER_ENDPOINT: String(perEndpoint),
        FANFARE_DELIVERY_TIMEOUT_MS: String(timeoutMs),
        FANFARE_DELIVERY_DELAYS_MS: '600000',
      },
    });
  });
  afterAll(() => app.stop());

  test('does not delay the events of another endpoint, and gets no more simultaneous requests than its limit', async () => {
    await using hanging = await startReceiver({ respond: () => 'hang' });
    await using healthy = await startCountingReceiver(50);
    const { id } = await app.tenant.createWebhook(hanging.url, ['post.published']);
    await app.tenant.createWebhook(healthy.url, ['post.published']);
    // Long enough to see it before and after it is known to fail.
    await commitSpread(app, 'post.published', { count: eventCount, overMs: 1.1 * timeoutMs });
    await healthy.waitForCount(eventCount, { timeoutMs: 20_000 });
    await expect
      .poll(() => countDeliveries(app, id, 'last_error_code', 'response_timeout'), {
        timeout: 20_000,
      })
      .toBeGreaterThan(0);
    expect(latenessMs(healthy)).toBeLessThan(timeoutMs / 2);
    expect(healthy.mostOpen()).toBeLessThanOrEqual(perEndpoint);
    await hanging.waitForCount(perEndpoint + 20, { timeoutMs: 30_000 });
    // Each request keeps its connection until the limit.
    const cameAt = hanging.requests.map((request) => request.receivedAt.getTime());
    const gaps = cameAt.slice(perEndpoint).map((at, i) => at - cameAt[i]!);
    expect(Math.min(...gaps)).toBeGreaterThan(timeoutMs / 2);
  });
});

describe('with the default of 20 connections, the events of another endpoint are no later', () => {
  const perEndpoint = 20;
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ env: { FANFARE_DELIVERY_DELAYS_MS: '500,500' } });
  });
  afterAll(() => app.stop());

  test('while an endpoint refuses connections', async () => {
    const eventCount = 200;
    const gone = await startReceiver();
    await gone.close();
    await using healthy = await startCountingReceiver(50);
    const { id } = await app.tenant.createWebhook(gone.url, ['account.connected']);
    await app.tenant.createWebhook(healthy.url, ['account.connected']);
    await commitSpread(app, 'account.connected', { count: eventCount, overMs: 3_000 });
    await healthy.waitForCount(eventCount);
    expect(latenessMs(healthy)).toBeLessThan(1_500);
    expect(healthy.mostOpen()).toBeLessThanOrEqual(perEndpoint);
    // Its own are not forgotten over it.
    await expect
      .poll(() => countDeliveries(app, id, 'status', 'failed'), { timeout: 20_000 })
      .toBe(eventCount);
  });

  test('while a slow endpoint gets thousands of events', async () => {
    const burst = 6_000;
    const eventCount = 20;
    await using busy = await startCountingReceiver(50);
    await using other = await startReceiver();
    await app.tenant.createWebhook(busy.url, ['post.published']);
    await app.tenant.createWebhook(other.url, ['post.failed']);
    await Promise.all(Array.from({ length: 6 }, () => commit(app, burst / 6)));
    const waitingAtFirst = burst - busy.requests.length;
    await commitSpread(app, 'post.failed', { count: eventCount, overMs: 3_000 });
    await other.waitForCount(eventCount);
    const lateMs = latenessMs(other);
    console.log(`${waitingAtFirst} of ${burst} waited at first; others came after ${lateMs} ms`);
    expect(waitingAtFirst).toBeGreaterThan(burst / 2);
    expect(lateMs).toBeLessThanOrEqual(1_500);
    await busy.waitForCount(burst, { timeoutMs: 30_000 });
    expect(busy.mostOpen()).toBeLessThanOrEqual(perEndpoint);
  }, 60_000);
});
