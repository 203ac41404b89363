// The relay between a real database and a real Temporal.
import { NativeConnection } from '@temporalio/worker';
import { Client, WorkflowNotFoundError, type Connection } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  startRelay,
  type Relay,
  type RelayDependencies,
} from '../../../activities/dispatch/relay.ts';
import type { OutboxRow } from '../../../schema/database/tables.ts';
import { createNotifier, type Notifier } from '../../../schema/database/notifier.ts';
import { createListener, type Listener } from '../../../schema/database/live/listen.ts';
import { newId } from '../../../schema/wire/ids.ts';
import {
  deliverEventsWorkflowId,
  publishPostWorkflow,
  type DeliverEventsInput,
  type PublishPostsInput,
} from '../../../schema/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { installQuietRuntime } from '../../support/servers/quiet-runtime.ts';
import {
  addBatch,
  addEvent,
  addPost,
  addProject,
  addWebhook,
  workflowOf,
} from '../../support/rows/rows.ts';
import {
  createTestNamespace,
  registerNamespace,
  type TestNamespace,
} from '../../support/servers/temporal.ts';

// Has no worker, so started workflows stay open.
const taskQueue = 'nobody';

let database: TestDatabase;
let namespace: TestNamespace;
let connection: NativeConnection;
let listener: Listener;
let notifier: Notifier;
let warnings: string[] = [];
const relays: Relay[] = [];

beforeAll(async () => {
  installQuietRuntime();
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
  connection = await NativeConnection.connect({ address: namespace.address });
  listener = createListener(database.url);
  notifier = createNotifier(database.url);
});

afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop().then(() => relay.settled())));
  warnings = [];
});

afterAll(async () => {
  await Promise.all([listener.close(), notifier.close()]);
  await connection.close();
  await Promise.all([namespace.close(), database.drop()]);
});

type Options = Partial<Pick<RelayDependencies, 'attempts' | 'crowdedProjects' | 'temporal'>>;

/** By default, the first attempts leave every delivery, so each batch needs its workflow. */
function start(options: Options = {}): void {
  relays.push(
    startRelay({
      db: database.db,
      listener,
      temporal: new Client({ connection, namespace: namespace.namespace }),
      taskQueue,
      attempts: { run: () => Promise.resolve('left'), fullProjects: () => [] },
      log: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) }),
      ...options,
    }),
  );
}

const outbox = (): Promise<OutboxRow[]> =>
  database.db.selectFrom('outbox').selectAll().orderBy('id').execute();

async function waitUntilStarted(timeout = 20_000): Promise<void> {
  await expect.poll(outbox, { timeout, interval: 25 }).toEqual([]);
}

const describeWorkflow = (workflowId: string) =>
  namespace.client.workflow.getHandle(workflowId).describe();

/** The input of a started workflow. */
async function inputOf<Input = DeliverEventsInput>(workflowId: string): Promise<Input> {
  const { events } = await namespace.client.workflow.getHandle(workflowId).fetchHistory();
  const [payload] = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads!;
  return JSON.parse(Buffer.from(payload!.data!).toString('utf8')) as Input;
}

/** Every execution in the namespace, including repeated ones of an id. */
async function listWorkflowIds(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of namespace.client.workflow.list()) ids.push(workflowId);
  return ids.toSorted();
}

async function projectOf(postId: string): Promise<string> {
  const post = database.db.selectFrom('posts').select('project_id').where('id', '=', postId);
  return (await post.executeTakeFirstOrThrow()).project_id;
}

const batchesOf = async (deliveryIds: string[]) =>
  database.db
    .selectFrom('deliveries')
    .select(['id', 'webhook_id', 'batch_id'])
    .where('id', 'in', deliveryIds)
    .execute();

describe('startRelay', () => {
  test('repeats a failed start after the pause', async () => {
    const { workflowId } = await addPost(database.db);
    // Temporal refuses at once. The SDK repeats a request to an unavailable Temporal for up to 10 s.
    const later = `${namespace.namespace}-later`;
    start({ temporal: new Client({ connection, namespace: later }) });
    await expect.poll(() => warnings.length, { timeout: 20_000, interval: 25 }).toBeGreaterThan(0);
    expect(warnings[0]).toContain(workflowId);
    expect(await outbox()).toHaveLength(1);
    await registerNamespace(namespace.client.connection as Connection, later);
    await waitUntilStarted();
    const { workflow } = new Client({ connection, namespace: later });
    expect(await workflow.getHandle(workflowId).describe()).toMatchObject({
      status: { name: 'RUNNING' },
    });
  });

  test('warns of an unavailable Temporal at most every 10 s, however many rows wait', async () => {
    for (let i = 0; i < 20; i++) await addPost(database.db);
    const later = `${namespace.namespace}-soon`;
    start({ temporal: new Client({ connection, namespace: later }) });
    await expect.poll(() => warnings.length, { timeout: 20_000, interval: 25 }).toBeGreaterThan(0);
    await registerNamespace(namespace.client.connection as Connection, later);
    await waitUntilStarted();
    const isStart = (line: string) => line.includes('a workflow could not be started');
    // One each 10 s. A slow machine needs longer.
    expect(warnings.filter(isStart).length).toBeLessThan(10);
  });

  test('accepts that a workflow has already started, and starts it only once', async () => {
    const { postId, workflowId } = await addPost(database.db);
    const started = await namespace.client.workflow.start(publishPostWorkflow, {
      taskQueue,
      workflowId,
      args: [{ postId, run: 1 }],
    });
    start();
    await waitUntilStarted();
    expect((await describeWorkflow(workflowId)).runId).toBe(started.firstExecutionRunId);
    expect(warnings).toEqual([]);

    // Nor after it has ended.
    await started.terminate();
    await database.db
      .insertInto('outbox')
      .values({
        id: newId('outbox'),
        workflow: publishPostWorkflow,
        workflow_id: workflowId,
        input: JSON.stringify({ postId, run: 1 }),
      })
      .execute();
    notifier.notify('fanfare_outbox');
    await waitUntilStarted();
    expect(await describeWorkflow(workflowId)).toMatchObject({
      runId: started.firstExecutionRunId,
      status: { name: 'TERMINATED' },
    });
  });

  test('starts one workflow for posts that come together, and no post twice when two relays run', async () => {
    const { db } = database;
    const before = new Set(await listWorkflowIds());
    const posts = await Promise.all(Array.from({ length: 20 }, () => addPost(db)));
    start();
    start();
    notifier.notify('fanfare_outbox');
    await waitUntilStarted();

    const workflowIds = new Set(
      await Promise.all(posts.map(({ postId }) => workflowOf(db, postId))),
    );
    // The list of Temporal lags a little.
    await expect
      .poll(async () => new Set(await listWorkflowIds()).difference(before), { timeout: 10_000 })
      .toEqual(workflowIds);
    expect(workflowIds.size).toBeLessThanOrEqual(2);
    const groups = [...workflowIds].filter((id) => id.startsWith('posts/'));
    const inputs = await Promise.all(groups.map((id) => inputOf<PublishPostsInput>(id)));
    const grouped = inputs.flatMap((input) => input.posts.map(({ postId }) => postId));
    const alone = posts.filter(({ workflowId }) => workflowIds.has(workflowId));
    const started = [...grouped, ...alone.map(({ postId }) => postId)];
    expect(started.toSorted()).toEqual(posts.map(({ postId }) => postId).toSorted());
    expect(warnings).toEqual([]);
  });

  test('starts a lone post as its own workflow', async () => {
    start();
    const { workflowId } = await addPost(database.db);
    notifier.notify('fanfare_outbox');
    await waitUntilStarted();
    expect(await describeWorkflow(workflowId)).toMatchObject({ type: publishPostWorkflow });
  });

  test('groups no post whose workflow may have been started before', async () => {
    const posts = [await addPost(database.db), await addPost(database.db)];
    await database.db
      .updateTable('outbox')
      .set({ claimed_until: new Date(0) })
      .execute();
    start();
    await waitUntilStarted();
    for (const { workflowId } of posts) {
      expect(await describeWorkflow(workflowId)).toMatchObject({ type: publishPostWorkflow });
    }
  });

  test('starts no workflow for a batch whose first attempts conclude it', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    await addWebhook(db, projectId);
    const attempted: string[] = [];
    start({
      attempts: {
        run: ({ batchId }) => {
          attempted.push(batchId);
          return Promise.resolve('concluded');
        },
        fullProjects: () => [],
      },
    });
    const deliveryIds = await addEvent(db, projectId);
    notifier.notify('fanfare_deliveries');
    await expect.poll(() => attempted.length, { timeout: 10_000 }).toBe(1);
    await waitUntilStarted();
    expect(await batchesOf(deliveryIds)).toMatchObject([{ batch_id: attempted[0] }]);
    await expect(describeWorkflow(deliverEventsWorkflowId(attempted[0]!))).rejects.toThrow(
      WorkflowNotFoundError,
    );
  });

  test('starts the workflow of a batch whose process has died', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    await addWebhook(db, projectId);
    const { workflow_id: workflowId } = await addBatch(db, projectId);
    start();
    await waitUntilStarted();
    expect(await describeWorkflow(workflowId)).toMatchObject({ status: { name: 'RUNNING' } });
  });

  test('attempts deliveries while Temporal is unavailable', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    await addWebhook(db, projectId);
    let attempts = 0;
    const run = () => {
      attempts++;
      return Promise.resolve('left' as const);
    };
    const never = new Client({ connection, namespace: `${namespace.namespace}-never` });
    start({ temporal: never, attempts: { run, fullProjects: () => [] } });
    for (let n = 1; n <= 3; n++) {
      await addEvent(db, projectId);
      notifier.notify('fanfare_deliveries');
      await expect.poll(() => attempts, { timeout: 10_000 }).toBe(n);
    }
    expect(await outbox()).toHaveLength(3);
    await db.deleteFrom('outbox').execute();
  });

  test('claims each delivery once when two relays share a database', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    await Promise.all(Array.from({ length: 5 }, () => addWebhook(db, projectId)));
    start();
    start();
    const deliveryIds = await Promise.all(
      Array.from({ length: 20 }, () => addEvent(db, projectId)),
    );
    notifier.notify('fanfare_deliveries');
    await expect
      .poll(() => batchesOf(deliveryIds.flat()), { timeout: 10_000 })
      .toSatisfy((rows: { batch_id: string | null }[]) => rows.every((row) => row.batch_id));
    await waitUntilStarted();
    const batchIds = new Set((await batchesOf(deliveryIds.flat())).map((row) => row.batch_id!));
    for (const batchId of batchIds) {
      expect((await inputOf(deliverEventsWorkflowId(batchId))).batchId).toBe(batchId);
    }
    expect(warnings).toEqual([]);
  });

  test('starts no post of a project whose earlier posts wait, and starts those of others', async () => {
    const { db } = database;
    const held = await addPost(db);
    const project = await projectOf(held.postId);
    let crowded = [project];
    start({ crowdedProjects: () => crowded });
    const other = await addPost(db);
    notifier.notify('fanfare_outbox');
    await expect
      .poll(async () => (await outbox()).map(({ project_id }) => project_id), { timeout: 10_000 })
      .toEqual([project]);
    expect(await describeWorkflow(other.workflowId)).toMatchObject({ status: { name: 'RUNNING' } });
    crowded = [];
    await waitUntilStarted();
    expect(await describeWorkflow(held.workflowId)).toMatchObject({ status: { name: 'RUNNING' } });
  });

  test('puts the deliveries of a failing webhook into a separate batch', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    const failing = await addWebhook(db, projectId, { failingSince: new Date() });
    await addWebhook(db, projectId);
    const deliveryIds = [await addEvent(db, projectId), await addEvent(db, projectId)].flat();
    start();
    await expect
      .poll(() => batchesOf(deliveryIds), { timeout: 10_000 })
      .toSatisfy((rows: { batch_id: string | null }[]) => rows.every((row) => row.batch_id));
    await waitUntilStarted();

    const byBatch = Map.groupBy(await batchesOf(deliveryIds), (row) => row.batch_id!);
    expect(byBatch.size).toBe(2);
    for (const [batchId, rows] of byBatch) {
      const input = await inputOf(deliverEventsWorkflowId(batchId));
      expect(input.batchId).toBe(batchId);
      expect(rows.map((row) => row.webhook_id === failing)).toEqual([
        input.isFailing,
        input.isFailing,
      ]);
    }
  });
});
