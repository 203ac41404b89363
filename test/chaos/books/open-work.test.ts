// Open work as a real Postgres and a real Temporal know it, without a worker that would end it.
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  publishPostsWorkflow,
  publishPostsWorkflowId,
  publishPostWorkflow,
} from '../../../schema/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addBatch, addPost, addProject, addWebhook } from '../../support/rows/rows.ts';
import { createTestNamespace, type TestNamespace } from '../../support/servers/temporal.ts';
import { findLastTimer, readOpenWork } from './open-work.ts';
import type { OpenWork } from './verdicts.ts';

let database: TestDatabase;
let namespace: TestNamespace;

beforeAll(async () => {
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
});

afterAll(async () => {
  await Promise.all([database.drop(), namespace.close()]);
});

async function read(id: string): Promise<OpenWork | undefined> {
  const open = await readOpenWork(database.db, namespace);
  return open.find((work) => work.id === id);
}

test('the workflow of an open post is shown as asked for, running or gone, and an ended post is not open', async () => {
  const { db } = database;
  const { postId, workflowId } = await addPost(db);
  const askedFor = (await read(postId))!;
  expect(askedFor).toMatchObject({ workflow: 'asked for', task: undefined });

  await db.deleteFrom('outbox').where('workflow_id', '=', workflowId).execute();
  const handle = await namespace.client.workflow.start(publishPostWorkflow, {
    workflowId,
    taskQueue: 'nobody',
    args: [{ postId, run: 1 }],
  });
  const queued = (await read(postId))!;
  expect(queued).toMatchObject({ workflow: 'running', task: { tries: 1 } });
  expect(queued.trace).not.toBe(askedFor.trace);
  expect((await read(postId))!.trace).toBe(queued.trace);

  await handle.terminate();
  const gone = (await read(postId))!;
  expect(gone).toMatchObject({ workflow: 'gone', task: undefined });

  const dueAt = new Date(Date.now() + 60_000);
  await db
    .updateTable('post_results')
    .set({ next_attempt_at: dueAt })
    .where('post_id', '=', postId)
    .execute();
  const waiting = (await read(postId))!;
  expect(waiting.dueAt).toEqual(dueAt);
  expect(waiting.trace).not.toBe(gone.trace);

  await db.updateTable('posts').set({ status: 'failed' }).where('id', '=', postId).execute();
  expect(await read(postId)).toBeUndefined();
});

test('the history of a group says nothing about one of its posts', async () => {
  const { db } = database;
  const { postId } = await addPost(db);
  const workflowId = publishPostsWorkflowId('1');
  await db.updateTable('posts').set({ workflow_id: workflowId }).where('id', '=', postId).execute();
  const handle = await namespace.client.workflow.start(publishPostsWorkflow, {
    workflowId,
    taskQueue: 'nobody',
    args: [{ posts: [{ postId, run: 1 }] }],
  });
  const before = (await read(postId))!;
  expect(before.workflow).toBe('running');
  const { historyLength } = await handle.describe();
  await handle.signal('anything');
  expect((await handle.describe()).historyLength).toBeGreaterThan(historyLength);
  expect((await read(postId))!.trace).toBe(before.trace);
  await handle.terminate();
});

test('the workflow of a delivery is shown as asked for without a batch or while the outbox has its batch, otherwise as gone', async () => {
  const { db } = database;
  const projectId = await addProject(db);
  await addWebhook(db, projectId);
  const batch = await addBatch(db, projectId);
  const { id } = await db
    .selectFrom('deliveries')
    .select('id')
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  expect(batch.workflow_id).toContain('deliveries/');
  expect((await read(id))!.workflow).toBe('asked for');
  await db.deleteFrom('outbox').where('id', '=', batch.id).execute();
  expect((await read(id))!.workflow).toBe('gone');

  await db.updateTable('deliveries').set({ batch_id: null }).where('id', '=', id).execute();
  expect((await read(id))!.workflow).toBe('asked for');
});

test('the last timer is the one that has neither fired nor been canceled', () => {
  const timer = (timerId: string, seconds: number) => ({
    eventTime: msToTs(1_000_000),
    timerStartedEventAttributes: { timerId, startToFireTimeout: msToTs(seconds * 1_000) },
  });
  const over = [
    { timerFiredEventAttributes: { timerId: '1' } },
    { timerCanceledEventAttributes: { timerId: '2' } },
  ];
  const events = [timer('1', 90), timer('2', 80), timer('3', 70), timer('4', 60)];
  expect(findLastTimer([...events, ...over])).toEqual(new Date(1_070_000));
  expect(findLastTimer([])).toBeUndefined();
});
