// The sweeper and posts that a pause holds, or that an interrupted resume left behind.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Running } from '../../../activities/dispatch/poll-loop.ts';
import { startSweeper } from '../../../activities/dispatch/sweeper.ts';
import { deletePause, insertPause, listPauses } from '../../../schema/database/pauses.ts';
import { findTarget, setPaused } from '../../../schema/database/posts/targets.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { publishPostWorkflow } from '../../../schema/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { installQuietRuntime } from '../../support/servers/quiet-runtime.ts';
import { addPost } from '../../support/rows/rows.ts';
import { createTestNamespace, type TestNamespace } from '../../support/servers/temporal.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let engine: Engine;
let sweeper: Running | undefined;

beforeAll(async () => {
  installQuietRuntime();
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
  engine = createEngine(database, { namespace: namespace.namespace });
});
afterEach(async () => {
  await sweeper?.stop();
  for (const { scope } of await listPauses(database.db)) await deletePause(database.db, scope);
});
afterAll(async () => {
  await engine.close();
  await Promise.all([namespace.close(), database.drop()]);
});

function start(): void {
  const { db, notifier, config, log } = engine;
  const temporal = namespace.client;
  sweeper = startSweeper({
    db,
    notifier,
    temporal,
    everyMs: 300,
    overdueMs: 60_000,
    config,
    log,
  });
}

/** A post whose workflow was started long ago and is gone. */
async function addLostPost(idleMs = 3_600_000) {
  const post = await addPost(database.db);
  await database.db.deleteFrom('outbox').where('workflow_id', '=', post.workflowId).execute();
  await database.db
    .updateTable('posts')
    .set({ progressed_at: new Date(Date.now() - idleMs) })
    .where('id', '=', post.postId)
    .execute();
  return post;
}

const resultsOf = (postId: string) =>
  database.db
    .selectFrom('post_results')
    .selectAll()
    .where('post_id', '=', postId)
    .orderBy('position')
    .execute();

/** A post whose first target has stopped at a pause. */
async function holdFirst(postId: string): Promise<string> {
  const { id } = (await resultsOf(postId))[0]!;
  const target = (await findTarget(database.db, id))!;
  expect(await setPaused(database.db, target)).toBe(true);
  return id;
}

/** A second target, or a reply to the first one. */
async function addSecond(postId: string, more: { answers_result_id: string } | object) {
  const first = (await resultsOf(postId))[0]!;
  const { project_id, social_account_id, account_name, status, phase, phase_state } = first;
  const same = { project_id, social_account_id, account_name, status, phase, phase_state };
  await database.db
    .insertInto('post_results')
    .values({
      ...same,
      id: newId('result'),
      post_id: postId,
      position: 1,
      platform: 'bluesky',
      ...more,
    })
    .execute();
}

async function runOf(postId: string): Promise<number> {
  const { current_run } = await database.db
    .selectFrom('posts')
    .select('current_run')
    .where('id', '=', postId)
    .executeTakeFirstOrThrow();
  return current_run;
}

async function waitForRun(postId: string, run: number): Promise<void> {
  await expect.poll(() => runOf(postId), { timeout: 10_000 }).toBe(run);
}

describe('startSweeper', () => {
  test('does not restart a post if a pause holds its target, even if another target of the post replies to the held target', async () => {
    await insertPause(database.db, 'sandbox');
    const held = await addLostPost();
    const thread = await addLostPost();
    await holdFirst(held.postId);
    const answers_result_id = await holdFirst(thread.postId);
    await addSecond(thread.postId, { platform: 'sandbox', answers_result_id });
    const lost = await addLostPost();
    start();
    await waitForRun(lost.postId, 2);
    expect([await runOf(held.postId), await runOf(thread.postId)]).toEqual([1, 1]);
  });

  test('restarts a lost post if a pause holds only one of its targets', async () => {
    await insertPause(database.db, 'sandbox');
    const { postId } = await addLostPost();
    await holdFirst(postId);
    await addSecond(postId, {});
    start();
    await waitForRun(postId, 2);
  });

  test('resumes at once the posts that an interrupted resume left behind', async () => {
    await insertPause(database.db, 'sandbox');
    // It has just progressed, and its workflow advances another target.
    const { postId, workflowId } = await addLostPost(0);
    await holdFirst(postId);
    await namespace.client.workflow.start(publishPostWorkflow, {
      taskQueue: 'nobody',
      workflowId,
      args: [{}],
    });
    await deletePause(database.db, 'sandbox');
    start();
    await waitForRun(postId, 2);
    expect(await resultsOf(postId)).toMatchObject([{ is_paused: false, status: 'pending' }]);
  });
});
