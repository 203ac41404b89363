// The retry schedule of a delivery. Temporal skips time; everything else is real.
import { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDelivering } from '../../activities/delivering/index.ts';
import { createKeyedCounter } from '../../activities/keyed-limits.ts';
import { createDeliveryRecorder } from '../../activities/delivering/recorder.ts';
import type { Activities } from '../../activities/index.ts';
import { createSafeFetch } from '../../activities/egress/client.ts';
import { createUrlGuard } from '../../activities/egress/url-guard.ts';
import { workflowBundle } from '../../activities/dispatch/workflow-bundle.ts';
import type { DeliveryAttemptRow } from '../../schema/database/tables.ts';
import { listDeliveryAttempts } from '../../schema/database/webhooks/deliveries.ts';
import { createNotifier } from '../../schema/database/notifier.ts';
import { defaultDeliveryDelaysMs } from '../../schema/retry.ts';
import {
  deliverEventsWorkflow,
  type DeliverEventsInput,
  type WaitingDelivery,
} from '../../schema/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { startReceiver, type Reply } from '../support/receivers/receiver.ts';
import { addBatch, addProject, addWebhook, rowsVault } from '../support/rows/rows.ts';
import {
  createTimeSkippingEnvironment,
  type TimeSkippingEnvironment,
} from '../support/servers/time-skipping.ts';

const taskQueue = 'retry-schedule';

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

/** Records one event for a webhook of each URL, runs its batch to the end, and returns what was written. */
async function runBatch(urls: string[], { timeoutMs = 1_000 } = {}) {
  const { db } = database;
  const notifier = createNotifier(database.url);
  const safeFetch = createSafeFetch({
    guard: createUrlGuard({ allowPrivateCidrs: ['127.0.0.0/8'] }),
  });
  // The activities' clock follows the server's, which runs ahead while the workflow sleeps.
  let aheadMs = 0;
  const delivering = createDelivering({
    inFlight: createKeyedCounter(),
    db,
    notifier,
    log: pino({ level: 'silent' }),
    vault: rowsVault,
    safeFetch,
    recorder: createDeliveryRecorder(db, notifier),
    delaysMs: defaultDeliveryDelaysMs,
    timeoutMs,
    now: () => Date.now() + aheadMs,
  });
  const projectId = await addProject(db);
  const webhookIds: string[] = [];
  for (const url of urls) webhookIds.push(await addWebhook(db, projectId, { url }));
  const startedAtMs = await environment.currentTimeMs();
  aheadMs = startedAtMs - Date.now();
  const { workflow_id: workflowId, input } = await addBatch(db, projectId);
  await runWorkflow(workflowId, input as unknown as DeliverEventsInput, {
    ...delivering,
    deliverAgain: async (again) => {
      aheadMs = (await environment.currentTimeMs()) - Date.now();
      return delivering.deliverAgain(again);
    },
  });
  await Promise.all([safeFetch.close(), notifier.close()]);
  return Promise.all(
    webhookIds.map(async (webhookId) => {
      const delivery = await db
        .selectFrom('deliveries')
        .selectAll()
        .where('webhook_id', '=', webhookId)
        .executeTakeFirstOrThrow();
      return { delivery, attempts: await listDeliveryAttempts(db, projectId, [delivery.id]) };
    }),
  );
}

const runSchedule = async (url: string) => (await runBatch([url]))[0]!;

/** Returns the number of executions, each continued as the next. */
async function runWorkflow(
  workflowId: string,
  input: DeliverEventsInput,
  activities: Pick<Activities, 'deliver' | 'deliverAgain'>,
): Promise<number> {
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle: bundle,
    activities,
  });
  return worker.runUntil(async () => {
    const { workflow } = environment.client;
    const started = await workflow.start(deliverEventsWorkflow, {
      taskQueue,
      workflowId,
      args: [input],
    });
    await started.result();
    let executions = 1;
    for (let runId = started.firstExecutionRunId; ; executions++) {
      const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
      const end = events!.at(-1)!.workflowExecutionContinuedAsNewEventAttributes;
      if (!end) return executions;
      runId = end.newExecutionRunId!;
    }
  });
}

const endMsOf = ({ started_at, timings }: DeliveryAttemptRow) =>
  started_at.getTime() + timings.total_ms;

/** Seconds from each attempt's end to the next one's start. */
function waits(attempts: DeliveryAttemptRow[]) {
  return attempts
    .slice(1)
    .map((attempt, i) => (attempt.started_at.getTime() - endMsOf(attempts[i]!)) / 1_000);
}

/** The round trip to the test server, or the wait for a group, takes at most this long. */
function expectSchedule(attempts: DeliveryAttemptRow[], delays = [30, 120, 600]): void {
  const seconds = waits(attempts);
  expect(seconds).toHaveLength(3);
  delays.forEach((delay, i) => {
    expect(seconds[i]).toBeGreaterThanOrEqual(delay - 0.01);
    expect(seconds[i]).toBeLessThan(delay + 5);
  });
}

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

  test('counts a receiver that takes too long as failed', async () => {
    await using receiver = await startReceiver({
      respond: (_, n) => (n === 1 ? 'hang' : { status: 200 }),
    });
    const { delivery, attempts } = await runSchedule(receiver.url);
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

  test('continues as a new execution after 50 batch runs, with the unfinished deliveries', async () => {
    const ids = ['done', 'busy', 'failing'];
    const calls: string[][] = [];
    const attempts = new Map<string, number>();
    // Receivers keep all connections busy, so deliveries are released unattempted, 30 times each.
    const attempt = async ({
      deliveryIds = [],
    }: DeliverEventsInput): Promise<WaitingDelivery[]> => {
      calls.push(deliveryIds);
      const nowMs = await environment.currentTimeMs();
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
