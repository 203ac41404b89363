// The ladder of a delivery, hours in seconds: Temporal's time is skipped, everything else is real.
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDelivering } from '../../activities/delivering.ts';
import { createDeliveryRecorder } from '../../activities/delivery-recorder.ts';
import { createSafeFetch } from '../../activities/safe-fetch.ts';
import { generateWebhookSecret } from '../../activities/signature.ts';
import { createUrlGuard } from '../../activities/url-guard.ts';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { createDoorbell } from '../../schema/database/doorbell.ts';
import { recordEvent } from '../../schema/database/events.ts';
import { claimBatch } from '../../schema/database/outbox.ts';
import { insertProject } from '../../schema/database/projects.ts';
import { createVault } from '../../schema/database/vault.ts';
import { newId } from '../../schema/ids.ts';
import { defaultDeliveryDelaysMs } from '../../schema/retry.ts';
import { deliverEventsWorkflow } from '../../schema/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startReceiver, type Reply } from '../support/receiver.ts';
import {
  createTimeSkippingEnvironment,
  type TimeSkippingEnvironment,
} from '../support/time-skipping.ts';

const taskQueue = 'ladder';
const vault = createVault(new Map([['k', Buffer.alloc(32, 7)]]), 'k');

let database: TestDatabase;
let environment: TimeSkippingEnvironment;
let bundle: { codePath: string };

beforeAll(async () => {
  [database, environment, bundle] = await Promise.all([
    createTestDatabase(),
    createTimeSkippingEnvironment(),
    workflowBundle(inject('cacheDirectory')),
  ]);
});

afterAll(async () => {
  await environment.teardown();
  await database.drop();
});

/** Records one event for a webhook, runs its batch to the end, and returns what was written. */
async function runLadder(url: string) {
  const { db } = database;
  const doorbell = createDoorbell(database.url);
  const safeFetch = createSafeFetch({
    guard: createUrlGuard({ allowPrivateCidrs: ['127.0.0.0/8'] }),
  });
  // The activities' clock follows the server's, which runs ahead while the workflow sleeps.
  let aheadMs = 0;
  const delivering = createDelivering({
    db,
    log: pino({ level: 'silent' }),
    vault,
    safeFetch,
    recorder: createDeliveryRecorder(db, doorbell),
    delaysMs: defaultDeliveryDelaysMs,
    timeoutMs: 2_000,
    now: () => Date.now() + aheadMs,
  });
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle: bundle,
    activities: {
      ...delivering,
      deliverAgain: async (input: Parameters<typeof delivering.deliverAgain>[0]) => {
        aheadMs = (await environment.currentTimeMs()) - Date.now();
        return delivering.deliverAgain(input);
      },
    },
  });
  const projectId = newId('project');
  const webhookId = newId('webhook');
  const sealed = vault.seal(generateWebhookSecret(), `webhook_subscriptions/${webhookId}`);
  await insertProject(db, { id: projectId, name: 'ladder' });
  await db
    .insertInto('webhook_subscriptions')
    .values({
      id: webhookId,
      project_id: projectId,
      url,
      events: ['account.connected'],
      status: 'active',
      secret: sealed.ciphertext,
      secret_key_id: sealed.keyId,
      secret_preview: 'whsec_',
    })
    .execute();
  const startedAtMs = await environment.currentTimeMs();
  aheadMs = startedAtMs - Date.now();
  const outboxRow = await db.transaction().execute(async (trx) => {
    const event = { projectId, kind: 'account.connected' as const, data: { n: 1 } };
    await recordEvent(trx, event, { previewEvents: false });
    return claimBatch(trx, 200);
  });
  const client: Client = environment.client;
  await worker.runUntil(
    client.workflow.execute(deliverEventsWorkflow, {
      taskQueue,
      workflowId: outboxRow!.workflow_id,
      args: [outboxRow!.input],
    }),
  );
  await Promise.all([safeFetch.close(), doorbell.close()]);
  const delivery = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow();
  const attempts = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', '=', delivery.id)
    .orderBy('number')
    .execute();
  return { delivery, attempts };
}

/** Seconds from each attempt's end to the next one's start. */
function waits(attempts: Awaited<ReturnType<typeof runLadder>>['attempts']) {
  return attempts.slice(1).map((attempt, i) => {
    const before = attempts[i]!;
    const endMs = before.started_at.getTime() + before.timings.total_ms;
    return (attempt.started_at.getTime() - endMs) / 1_000;
  });
}

describe('deliverEvents', () => {
  test('tries again after 30 s, 2 min and 10 min, four requests at the most', async () => {
    await using receiver = await startReceiver({ respond: () => ({ status: 500 }) });
    const { delivery, attempts } = await runLadder(receiver.url);
    expect(receiver.requests).toHaveLength(4);
    expect(delivery).toMatchObject({
      status: 'failed',
      attempt_count: 4,
      last_status_code: 500,
      last_error_code: 'http_5xx',
      next_attempt_at: null,
    });
    expect(attempts.map((attempt) => attempt.number)).toEqual([1, 2, 3, 4]);
    const seconds = waits(attempts);
    [30, 120, 600].forEach((delay, i) => {
      // A time-out of the round trip to the test server is all that may lie between.
      expect(seconds[i]).toBeGreaterThanOrEqual(delay - 0.01);
      expect(seconds[i]).toBeLessThan(delay + 5);
    });
    expect(attempts.at(-1)!.next_attempt_at).toBeNull();
  });

  test('stops at the first 2xx, and sends the same bytes and delivery id every time', async () => {
    const replies: Reply[] = ['reset', { status: 429 }, { status: 204 }];
    await using receiver = await startReceiver({ respond: (_, n) => replies[n - 1]! });
    const { delivery, attempts } = await runLadder(receiver.url);
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

  test('counts a receiver that takes too long as failed', async () => {
    await using receiver = await startReceiver({
      respond: (_, n) => (n === 1 ? 'hang' : { status: 200 }),
    });
    const { delivery, attempts } = await runLadder(receiver.url);
    expect(attempts[0]!.error_code).toBe('response_timeout');
    expect(delivery.status).toBe('delivered');
  });
});
