// One endpoint that hangs: no other is made late by it, and none gets more requests at once than it may.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordEvent } from '../../schema/database/events.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startReceiver, type ReceivedRequest } from '../support/receiver.ts';

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

/** Counts how many it works on at a time, each for as long as `work` takes. */
async function startCountingReceiver() {
  let openCount = 0;
  let mostOpen = 0;
  const receiver = await startReceiver({
    respond: async () => {
      mostOpen = Math.max(mostOpen, ++openCount);
      await sleep(50);
      openCount--;
      return { status: 200 };
    },
  });
  return { ...receiver, mostOpen: () => mostOpen };
}

async function commitEvent(): Promise<void> {
  const { db, doorbell } = app.context;
  const { projectId } = app.tenant;
  await db
    .transaction()
    .execute((trx) =>
      recordEvent(
        trx,
        { projectId, kind: 'post.published', data: { id: 'post_1' } },
        { previewEvents: false },
      ),
    );
  doorbell.ring('fanfare_outbox');
}

const latenessMs = (request: ReceivedRequest) =>
  request.receivedAt.getTime() - Date.parse(request.json().timestamp);

/** How many attempts at the webhook ran into the limit. */
async function countTimeouts(webhookId: string): Promise<number> {
  const { count } = await app.context.db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('webhook_id', '=', webhookId)
    .where('last_error_code', '=', 'response_timeout')
    .executeTakeFirstOrThrow();
  return Number(count);
}

describe('an endpoint that hangs', () => {
  test('makes the events of another no later, and gets no more at once than it may', async () => {
    await using hanging = await startReceiver({ respond: () => 'hang' });
    await using healthy = await startCountingReceiver();
    const { id } = await app.tenant.createWebhook(hanging.url, ['post.published']);
    await app.tenant.createWebhook(healthy.url, ['post.published']);
    // Long enough to see it before and after it is known to fail.
    for (let i = 0; i < eventCount; i++) {
      await Promise.all([commitEvent(), sleep((1.1 * timeoutMs) / eventCount)]);
    }
    await healthy.waitForCount(eventCount, { timeoutMs: 20_000 });
    await expect.poll(() => countTimeouts(id), { timeout: 20_000 }).toBeGreaterThan(0);
    const late = healthy.requests.map(latenessMs).toSorted((a, b) => a - b);
    expect(late[Math.floor(eventCount * 0.99)]).toBeLessThan(timeoutMs / 2);
    expect(healthy.mostOpen()).toBeLessThanOrEqual(perEndpoint);
    await hanging.waitForCount(perEndpoint + 20, { timeoutMs: 30_000 });
    // Each request keeps its connection until the limit.
    const cameAt = hanging.requests.map((request) => request.receivedAt.getTime());
    const gaps = cameAt.slice(perEndpoint).map((at, i) => at - cameAt[i]!);
    expect(Math.min(...gaps)).toBeGreaterThan(timeoutMs / 2);
  });
});
