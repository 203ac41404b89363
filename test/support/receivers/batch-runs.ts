// Runs batches of deliveries to their end. Temporal skips time; everything else is real.
import { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { createDelivering } from '../../../activities/delivering/index.ts';
import { createKeyedCounter } from '../../../activities/keyed-limits.ts';
import { createDeliveryRecorder } from '../../../activities/delivering/recorder.ts';
import type { Activities } from '../../../activities/index.ts';
import { createSafeFetch } from '../../../activities/egress/client.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import type { DeliveryAttemptRow } from '../../../schema/database/tables.ts';
import { listDeliveryAttempts } from '../../../schema/database/webhooks/deliveries.ts';
import { createNotifier } from '../../../schema/database/notifier.ts';
import { defaultDeliveryDelaysMs } from '../../../schema/retry.ts';
import { deliverEventsWorkflow, type DeliverEventsInput } from '../../../schema/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../rows/database.ts';
import { addBatch, addProject, addWebhook, rowsVault } from '../rows/rows.ts';
import {
  createTimeSkippingEnvironment,
  type TimeSkippingEnvironment,
} from '../servers/time-skipping.ts';

const taskQueue = 'retry-schedule';

/** Each file has a database and a Temporal server of its own. */
export function useBatchRuns() {
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

  /**
   * Records one event for webhooks with these URLs, runs its batch to the end, and returns the rows that were
   * written.
   */
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

  /** Returns the number of executions. Each execution continues as the next one. */
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

  return { runBatch, runWorkflow, currentTimeMs: () => environment.currentTimeMs() };
}

export const endMsOf = ({ started_at, timings }: DeliveryAttemptRow) =>
  started_at.getTime() + timings.total_ms;

/** Seconds from the end of each attempt to the start of the next attempt. */
function waits(attempts: DeliveryAttemptRow[]) {
  return attempts
    .slice(1)
    .map((attempt, i) => (attempt.started_at.getTime() - endMsOf(attempts[i]!)) / 1_000);
}

/** The round trip to the test server, and the wait for a group, take at most this long. */
export function expectSchedule(attempts: DeliveryAttemptRow[], delays = [30, 120, 600]): void {
  const seconds = waits(attempts);
  expect(seconds).toHaveLength(3);
  delays.forEach((delay, i) => {
    expect(seconds[i]).toBeGreaterThanOrEqual(delay - 0.01);
    expect(seconds[i]).toBeLessThan(delay + 5);
  });
}
