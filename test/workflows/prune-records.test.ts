// The schedule that prunes, on a real Temporal server: created once, even by several workers, and it runs.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSchedule, keepSchedule } from '../../activities/keep-schedule.ts';
import { pruningSchedule } from '../../activities/schedules.ts';
import { keepWorker } from '../../api/server/keep-worker.ts';
import type { AppError } from '../../schema/wire/errors.ts';
import {
  pruneRecordsWorkflow,
  pruneScheduleId,
  refreshScheduleId,
} from '../../schema/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { createEngine, type Engine } from '../support/app/engine.ts';
import { createTestFeed } from '../support/graphql/feed.ts';
import { addOldEvents } from '../support/rows/old-records.ts';
import { installQuietRuntime } from '../support/servers/quiet-runtime.ts';
import { addProject, addWebhook } from '../support/rows/rows.ts';
import { createTestNamespace, type TestNamespace } from '../support/servers/temporal.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let engine: Engine;
const warnings: string[] = [];

beforeAll(async () => {
  installQuietRuntime();
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
  engine = createEngine(database, {
    namespace: namespace.namespace,
    onWarning: (line) => warnings.push(line),
  });
});

afterAll(async () => {
  await engine.close();
  await Promise.all([namespace.close(), database.drop()]);
});

const taskQueue = () => engine.config.temporal.taskQueue;
const handle = () => namespace.client.schedule.getHandle(pruneScheduleId(taskQueue()));

async function listSchedules(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { scheduleId } of namespace.client.schedule.list()) ids.push(scheduleId);
  return ids.toSorted();
}

const countEvents = async () => {
  const rows = await database.db.selectFrom('events').select('id').execute();
  return rows.length;
};

const ensure = () =>
  ensureSchedule(
    { temporal: namespace.client, taskQueue: taskQueue() },
    pruningSchedule(taskQueue()),
  );

/** A change older than the retention of the feed, and a cursor just before it. */
async function watchOldChange(projectId: string) {
  const { db, listener } = engine;
  const feed = createTestFeed(db, listener);
  const { cursor: after } = await feed.readPresent(() => Promise.resolve());
  await sql`insert into changes (project_id, subject, subject_id, kind, created_at)
    values (${projectId}, 'post', 'post_1', 'created', now() - interval '25 hours')`.execute(db);
  const resume = async () => {
    try {
      const stream = await feed.subscribe({ projectId, subject: 'post', after });
      const { value } = await stream.next();
      await stream.return();
      return value?.change?.kind;
    } catch (error) {
      return (error as AppError).code;
    }
  };
  expect(await resume()).toBe('created');
  return { resume, [Symbol.asyncDispose]: () => feed.close() };
}

describe('ensureSchedule', () => {
  test('creates a schedule that runs each hour, never twice at once', async () => {
    await ensure();
    expect(await handle().describe()).toMatchObject({
      spec: { intervals: [{ every: 3_600_000 }], jitter: 600_000 },
      action: { workflowType: pruneRecordsWorkflow, taskQueue: taskQueue() },
      policies: { overlap: 'SKIP', catchupWindow: 3_600_000 },
      state: { paused: false },
    });
  });

  test('does not change a correct schedule', async () => {
    const { raw } = await handle().describe();
    await ensure();
    expect((await handle().describe()).raw.conflictToken).toEqual(raw.conflictToken);
  });

  test('corrects a wrong schedule, which stays paused', async () => {
    await handle().pause('for now');
    await handle().update((old) => ({ ...old, spec: { intervals: [{ every: '2 days' }] } }));
    await ensure();
    expect(await handle().describe()).toMatchObject({
      spec: { intervals: [{ every: 3_600_000 }], jitter: 600_000 },
      state: { paused: true, note: 'for now' },
    });
    await handle().unpause();
  });
});

describe('keepSchedule', () => {
  test('warns if Temporal has no schedules, and stops', async () => {
    // Longer than Temporal takes.
    const taskQueue = 'q'.repeat(2_000);
    const schedule = keepSchedule(
      { temporal: namespace.client, taskQueue, log: engine.log },
      pruningSchedule(taskQueue),
    );
    await expect.poll(() => warnings.join(), { timeout: 10_000 }).toContain('could not be created');
    await schedule.stop();
  });
});

describe('pruneRecords', () => {
  test('runs once when the schedule of two workers is due', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    const webhookId = await addWebhook(db, projectId);
    await addOldEvents(db, { projectId, webhookId, count: 1_200 });
    await using feed = await watchOldChange(projectId);
    const workers = [0, 1].map(() => keepWorker({ ...engine, address: namespace.address }));
    try {
      await Promise.all(workers.map((worker) => worker.ready));
      // Temporal lists a schedule a moment after it was created.
      await expect
        .poll(listSchedules, { timeout: 10_000 })
        .toEqual([pruneScheduleId(taskQueue()), refreshScheduleId(taskQueue())]);
      await handle().trigger();
      await expect.poll(countEvents, { timeout: 20_000 }).toBe(0);
      const recentActions = async () => (await handle().describe()).info.recentActions;
      await expect.poll(recentActions, { timeout: 10_000 }).toHaveLength(1);
      const [recent] = await recentActions();
      const { workflowId } = recent!.action.workflow;
      await namespace.client.workflow.getHandle(workflowId).result();
      // A process can still serve changes that it has read, for a moment.
      await expect.poll(feed.resume, { timeout: 10_000 }).toBe('cursor_expired');
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  });
});
