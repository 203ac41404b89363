// The sweeper: finds work whose workflow is gone in a real database, and restarts it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import { sql } from 'kysely';
import type { Running } from '../../../activities/dispatch/poll-loop.ts';
import { startSweeper } from '../../../activities/dispatch/sweeper.ts';
import { keepWorker } from '../../../api/server/keep-worker.ts';
import { insertChange } from '../../../schema/database/posts/after-publishing/result-changes.ts';
import { startOf } from '../../../schema/database/webhooks/replay-matches.ts';
import { insertReplay } from '../../../schema/database/webhooks/replays.ts';
import { newId } from '../../../schema/wire/ids.ts';
import {
  changeResultWorkflow,
  checkAccountWorkflow,
  deliverEventsWorkflow,
  publishPostWorkflow,
  replayDeliveriesWorkflow,
  type DeliverEventsInput,
  type PublishPostsResult,
} from '../../../schema/workflows.ts';
import { readChange } from '../../support/changes/run-change.ts';
import { addCheck } from '../../support/rows/checks.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { installQuietRuntime } from '../../support/servers/quiet-runtime.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { addBatch, addPost, addProject, addWebhook, anyTimings } from '../../support/rows/rows.ts';
import { createTestNamespace, type TestNamespace } from '../../support/servers/temporal.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';
import { addAccount } from '../../support/rows/targets.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let engine: Engine;
const sweepers: Running[] = [];
const hourAgo = sql<Date>`now() - interval '1 hour'`;

beforeAll(async () => {
  installQuietRuntime();
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
  engine = createEngine(database, { namespace: namespace.namespace });
});

afterEach(async () => {
  await Promise.all(sweepers.splice(0).map((sweeper) => sweeper.stop()));
});

afterAll(async () => {
  await engine.close();
  await Promise.all([namespace.close(), database.drop()]);
});

function start(everyMs = 500): void {
  const { db, notifier, config, log } = engine;
  const temporal = namespace.client;
  sweepers.push(startSweeper({ db, notifier, temporal, everyMs, overdueMs: 60_000, config, log }));
}

/** A started batch whose only delivery failed once and has been due for an hour. */
async function addOverdueBatch(url?: string) {
  const { db } = database;
  const projectId = await addProject(db);
  await addWebhook(db, projectId, url === undefined ? {} : { url });
  const { id, workflow_id: workflowId, input } = await addBatch(db, projectId);
  await db.deleteFrom('outbox').where('id', '=', id).execute();
  const { batchId } = input as unknown as DeliverEventsInput;
  const { id: deliveryId } = await db
    .selectFrom('deliveries')
    .select('id')
    .where('batch_id', '=', batchId)
    .executeTakeFirstOrThrow();
  await engine.recorder.record({
    delivery_id: deliveryId,
    scheduled_attempts: 0,
    ladder_start: 0,
    started_at: new Date(Date.now() - 3_700_000),
    ended_at: new Date(Date.now() - 3_700_000),
    timings: anyTimings,
    remote_address: null,
    status_code: 503,
    error_code: 'http_5xx',
    request_headers: {},
    response_headers: null,
    response_body: null,
    status: 'retrying',
    next_attempt_at: new Date(Date.now() - 3_600_000),
  });
  return { batchId, deliveryId, workflowId };
}

/** A post whose workflow was started an hour ago. */
async function addOverduePost(scheduledAt: Date | null = null) {
  const post = await addPost(database.db, { scheduledAt });
  await database.db.deleteFrom('outbox').where('workflow_id', '=', post.workflowId).execute();
  await database.db
    .updateTable('posts')
    .set({ progressed_at: hourAgo })
    .where('id', '=', post.postId)
    .execute();
  return post;
}

/** A replay whose workflow was started an hour ago. */
async function addOverdueReplay() {
  const { db } = database;
  const projectId = await addProject(db);
  const id = newId('replay');
  const wanted = { webhook_id: await addWebhook(db, projectId), statuses: ['failed' as const] };
  await inQuietTransaction(db, (trx) =>
    insertReplay(trx, {
      ...wanted,
      id,
      project_id: projectId,
      environment: 'production',
      status: 'running',
      since: new Date(0),
      until: new Date(),
      matched: 1,
      position: startOf(wanted.statuses),
    }),
  );
  const { workflow_id: workflowId } = await replay(id);
  await db.deleteFrom('outbox').where('workflow_id', '=', workflowId).execute();
  await db.updateTable('replays').set({ created_at: hourAgo }).where('id', '=', id).execute();
  return { id, workflowId };
}

/** A check whose workflow was started an hour ago. */
async function addOverdueCheck() {
  const { db } = database;
  const { id, workflow_id: workflowId } = (await addCheck(db, await addAccount(db)))!;
  await db.deleteFrom('outbox').where('workflow_id', '=', workflowId).execute();
  await db
    .updateTable('account_checks')
    .set({ progressed_at: hourAgo })
    .where('id', '=', id)
    .execute();
  return { id, workflowId };
}

/** A change of a result whose workflow was started an hour ago. */
async function addOverdueChange() {
  const { db } = database;
  const { postId } = await addPost(db);
  const result = await db
    .updateTable('post_results')
    .set({ status: 'published' })
    .where('post_id', '=', postId)
    .returning(['id', 'project_id'])
    .executeTakeFirstOrThrow();
  const id = await inQuietTransaction(db, (trx) => insertChange(trx, result, 'unpublish'));
  const workflowId = (await readChange(db, id)).workflow_id!;
  await db.deleteFrom('outbox').where('workflow_id', '=', workflowId).execute();
  await db
    .updateTable('result_changes')
    .set({ progressed_at: hourAgo })
    .where('id', '=', id)
    .execute();
  return { id, workflowId };
}

/** Has no worker, so that it stays open. */
const startWorkflow = (workflow: string, workflowId: string) =>
  namespace.client.workflow.start(workflow, { taskQueue: 'nobody', workflowId, args: [{}] });

/** COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION. */
const completeWorkflow = 4;

/** A workflow that ends at once. */
async function runToCompletion(workflowId: string, result?: PublishPostsResult): Promise<void> {
  const { client } = namespace;
  const name = `completing-${workflowId}`;
  await client.workflow.start(publishPostWorkflow, { taskQueue: name, workflowId, args: [{}] });
  const { taskToken } = await client.withDeadline(Date.now() + 10_000, () =>
    client.workflowService.pollWorkflowTaskQueue({
      namespace: namespace.namespace,
      taskQueue: { name },
      identity: 'test',
    }),
  );
  await client.workflowService.respondWorkflowTaskCompleted({
    namespace: namespace.namespace,
    taskToken,
    commands: [
      {
        commandType: completeWorkflow,
        completeWorkflowExecutionCommandAttributes: {
          result: { payloads: [defaultPayloadConverter.toPayload(result)] },
        },
      },
    ],
  });
}

const delivery = (id: string) =>
  database.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const post = (id: string) =>
  database.db.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const replay = (id: string) =>
  database.db.selectFrom('replays').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const check = (id: string) =>
  database.db
    .selectFrom('account_checks')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const outboxOf = (workflowId: string) =>
  database.db.selectFrom('outbox').selectAll().where('workflow_id', '=', workflowId).execute();

describe('startSweeper', () => {
  test('releases a batch only if its workflow is gone', async () => {
    const running = await addOverdueBatch();
    const ended = await addOverdueBatch();
    const gone = await addOverdueBatch();
    await startWorkflow(deliverEventsWorkflow, running.workflowId);
    await (await startWorkflow(deliverEventsWorkflow, ended.workflowId)).terminate();
    start();
    // Batches are checked in id order, and the running one is first.
    await expect
      .poll(async () => (await delivery(gone.deliveryId)).batch_id, { timeout: 10_000 })
      .toBeNull();
    expect((await delivery(ended.deliveryId)).batch_id).toBeNull();
    expect((await delivery(running.deliveryId)).batch_id).toBe(running.batchId);
  });

  test('gives a new run to a post only if its workflow is gone', async () => {
    const running = await addOverduePost();
    const gone = await addOverduePost();
    await startWorkflow(publishPostWorkflow, running.workflowId);
    start();
    await expect
      .poll(async () => (await post(gone.postId)).current_run, { timeout: 10_000 })
      .toBe(2);
    const restarted = await post(gone.postId);
    expect(restarted.workflow_id).not.toBe(gone.workflowId);
    expect(await outboxOf(restarted.workflow_id!)).toMatchObject([
      { workflow: publishPostWorkflow, input: { postId: gone.postId, run: 2 }, start_at: null },
    ]);
    expect(await post(running.postId)).toMatchObject({
      current_run: 1,
      workflow_id: running.workflowId,
    });
  });

  test('does not restart a scheduled post that is due in an hour', async () => {
    const coming = await addOverduePost(new Date(Date.now() + 3_600_000));
    const due = await addOverduePost(new Date(Date.now() - 3_600_000));
    start();
    await expect
      .poll(async () => (await post(due.postId)).current_run, { timeout: 10_000 })
      .toBe(2);
    expect(await post(coming.postId)).toMatchObject({
      status: 'scheduled',
      current_run: 1,
      workflow_id: coming.workflowId,
    });
  });

  test('marks an open post whose workflow has completed as restored', async () => {
    const done = await addOverduePost();
    await runToCompletion(done.workflowId);
    const terminated = await addOverduePost();
    await (await startWorkflow(publishPostWorkflow, terminated.workflowId)).terminate();
    start();
    for (const { postId } of [done, terminated]) {
      await expect.poll(async () => (await post(postId)).current_run, { timeout: 10_000 }).toBe(2);
    }
    expect((await post(done.postId)).restored_at).toBeInstanceOf(Date);
    expect((await post(terminated.postId)).restored_at).toBeNull();
  });

  test('marks only the posts that the result of a completed group names as restored', async () => {
    const [named, other] = [await addOverduePost(), await addOverduePost()];
    const workflowId = `posts/${named.postId}`;
    await database.db
      .updateTable('posts')
      .set({ workflow_id: workflowId })
      .where('id', 'in', [named.postId, other.postId])
      .execute();
    await runToCompletion(workflowId, { ended: [named.postId] });
    start();
    for (const { postId } of [named, other]) {
      await expect.poll(async () => (await post(postId)).current_run, { timeout: 10_000 }).toBe(2);
    }
    expect((await post(named.postId)).restored_at).toBeInstanceOf(Date);
    expect((await post(other.postId)).restored_at).toBeNull();
  });

  test('leaves a batch alone while the outbox has its row', async () => {
    const attempted = await addOverdueBatch();
    await database.db
      .insertInto('outbox')
      .values({
        id: newId('outbox'),
        workflow: deliverEventsWorkflow,
        workflow_id: attempted.workflowId,
        input: JSON.stringify({ batchId: attempted.batchId }),
      })
      .execute();
    const gone = await addOverdueBatch();
    start();
    // Batches are checked in id order, and the attempted one is first.
    await expect
      .poll(async () => (await delivery(gone.deliveryId)).batch_id, { timeout: 10_000 })
      .toBeNull();
    expect((await delivery(attempted.deliveryId)).batch_id).toBe(attempted.batchId);
  });

  test('restarts a replay only if its workflow is gone or was terminated', async () => {
    const running = await addOverdueReplay();
    const ended = await addOverdueReplay();
    const gone = await addOverdueReplay();
    await startWorkflow(replayDeliveriesWorkflow, running.workflowId);
    await (await startWorkflow(replayDeliveriesWorkflow, ended.workflowId)).terminate();
    start();
    for (const { id, workflowId } of [ended, gone]) {
      await expect
        .poll(async () => (await replay(id)).workflow_id, { timeout: 10_000 })
        .not.toBe(workflowId);
      const { workflow_id } = await replay(id);
      // Requested once, although it was swept again.
      expect(await outboxOf(workflow_id)).toMatchObject([
        { workflow: replayDeliveriesWorkflow, input: { replayId: id } },
      ]);
    }
    expect((await replay(running.id)).workflow_id).toBe(running.workflowId);
  });

  test('restarts a check of an account only if its workflow is gone', async () => {
    const running = await addOverdueCheck();
    const gone = await addOverdueCheck();
    await startWorkflow(checkAccountWorkflow, running.workflowId);
    start();
    await expect
      .poll(async () => (await check(gone.id)).workflow_id, { timeout: 10_000 })
      .not.toBe(gone.workflowId);
    const { workflow_id } = await check(gone.id);
    expect(await outboxOf(workflow_id)).toMatchObject([
      { workflow: checkAccountWorkflow, input: { checkId: gone.id } },
    ]);
    expect((await check(running.id)).workflow_id).toBe(running.workflowId);
  });

  test('restarts a change of a result only if its workflow is gone', async () => {
    const running = await addOverdueChange();
    const gone = await addOverdueChange();
    await startWorkflow(changeResultWorkflow, running.workflowId);
    start();
    const readWorkflowId = async (id: string) => (await readChange(database.db, id)).workflow_id!;
    await expect.poll(() => readWorkflowId(gone.id), { timeout: 10_000 }).not.toBe(gone.workflowId);
    expect(await outboxOf(await readWorkflowId(gone.id))).toMatchObject([
      { workflow: changeResultWorkflow, input: { changeId: gone.id } },
    ]);
    expect(await readWorkflowId(running.id)).toBe(running.workflowId);
  });

  test('sweeps once when two sweepers run', async () => {
    await sql`create table sweeps_seen (swept_at timestamptz)`.execute(database.db);
    await sql`create function see_sweep() returns trigger language plpgsql as
      'begin insert into sweeps_seen values (new.swept_at); return new; end'`.execute(database.db);
    await sql`create trigger see_sweep before update on sweeps
      for each row execute function see_sweep()`.execute(database.db);
    const everyMs = 600;
    start(everyMs);
    start(everyMs);
    const seen = async () => {
      const query = sql<{ swept_at: Date }>`select swept_at from sweeps_seen order by swept_at`;
      return (await query.execute(database.db)).rows.map((row) => row.swept_at.getTime());
    };
    await expect
      .poll(async () => (await seen()).length, { timeout: 10_000 })
      .toBeGreaterThanOrEqual(3);
    const times = await seen();
    const gaps = times.slice(1).map((time, i) => time - times[i]!);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(everyMs);
  });
});

describe('a swept batch', () => {
  test('is delivered again, and continues its count of attempts', async () => {
    await using receiver = await startReceiver({ respond: () => ({ status: 503 }) });
    const { batchId, deliveryId } = await addOverdueBatch(receiver.url);
    const worker = keepWorker({
      ...engine,
      config: { ...engine.config, sweepEveryS: 0.5, sweepOverdueS: 60 },
      address: namespace.address,
    });
    try {
      await expect
        .poll(async () => (await delivery(deliveryId)).attempt_count, { timeout: 20_000 })
        .toBe(2);
      const row = await delivery(deliveryId);
      expect(row).toMatchObject({ status: 'retrying', scheduled_attempts: 2 });
      expect(row.batch_id).not.toBe(batchId);
      // The wait after the second attempt, not the first.
      expect(row.next_attempt_at!.getTime()).toBeGreaterThan(Date.now() + 100_000);
      expect(receiver.requests).toHaveLength(1);
    } finally {
      await worker.stop();
    }
  });
});
