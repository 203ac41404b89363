// Media of a post are fetched by a worker, through Temporal.
import { rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../../activities/media/store/open.ts';
import { keepWorker, type KeptWorker } from '../../../api/server/keep-worker.ts';
import { insertFetches } from '../../../schema/database/media/fetching.ts';
import { attachMedia } from '../../../schema/database/media/uses.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { fetchMediaWorkflow } from '../../../schema/workflows.ts';
import { readers } from '../../support/media/images.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { readMedia } from '../../support/rows/media.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';
import { addPost } from '../../support/rows/rows.ts';
import { createMarkedFolder } from '../../support/media/marked-folder.ts';
import { noise } from '../../support/media/samples.ts';
import { installQuietRuntime } from '../../support/servers/quiet-runtime.ts';
import { createTestNamespace, type TestNamespace } from '../../support/servers/temporal.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let engine: Engine;
let worker: KeptWorker;
const folder = createMarkedFolder('fanfare-fetch-workflow-');

beforeAll(async () => {
  installQuietRuntime();
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
  engine = createEngine(database, { namespace: namespace.namespace });
  const store = await openStore(pathToFileURL(folder).href);
  worker = keepWorker({
    ...engine,
    config: { ...engine.config, sweepEveryS: 0.5, sweepOverdueS: 60 },
    address: namespace.address,
    media: { store, ...readers, maxBytes: 1e8, projectMaxBytes: 1e9 },
  });
  await worker.ready;
});
afterAll(async () => {
  await worker.stop();
  await engine.close();
  await Promise.all([namespace.close(), database.drop()]);
  await rm(folder, { recursive: true });
});

/** Media of a scheduled post. */
async function addFetch(url: string): Promise<string> {
  const { postId } = await addPost(database.db, { scheduledAt: new Date(Date.now() + 86_400_000) });
  const { project_id: projectId } = await database.db
    .selectFrom('posts')
    .select('project_id')
    .where('id', '=', postId)
    .executeTakeFirstOrThrow();
  const id = newId('media');
  await inQuietTransaction(database.db, async (trx) => {
    await insertFetches(trx, { projectId, environment: 'production' }, [{ id, url }]);
    await attachMedia(trx, postId, [id]);
  });
  return id;
}

const workflowOf = async (id: string) =>
  namespace.client.workflow.getHandle((await readMedia(database.db, id)).workflow_id!);

test('a URL of a post ends as attached media, after a failed fetch', async () => {
  const png = await noise(60, 40).png().toBuffer();
  await using server = await startReceiver({
    respond: (_request, number) => (number === 1 ? { status: 503 } : { body: png }),
  });
  const id = await addFetch(`${server.url}/a.png`);
  await server.waitForCount(1);
  await expect
    .poll(async () => (await readMedia(database.db, id)).fetch_attempts, { timeout: 10_000 })
    .toBe(1);
  await (await workflowOf(id)).result();
  expect(await readMedia(database.db, id)).toMatchObject({
    status: 'attached',
    width: 60,
    height: 40,
    fetch_attempts: 1,
  });
  expect(server.requests).toHaveLength(2);
});

test('a lost workflow is started again, and no other workflow', async () => {
  const png = await noise(60, 40).png().toBuffer();
  let isAway = true;
  await using server = await startReceiver({
    respond: () => (isAway ? { status: 503 } : { body: png }),
  });
  const [lost, waiting] = [
    await addFetch(`${server.url}/lost`),
    await addFetch(`${server.url}/wait`),
  ];
  for (const id of [lost, waiting]) {
    await expect
      .poll(async () => (await readMedia(database.db, id)).fetch_attempts, { timeout: 10_000 })
      .toBeGreaterThan(0);
  }
  const waitingWorkflow = await workflowOf(waiting);
  await (await workflowOf(lost)).terminate();
  isAway = false;
  const ids = sql.join([lost, waiting]);
  await sql`update media set updated_at = now() - interval '1 hour' where id in (${ids})`.execute(
    database.db,
  );
  await expect
    .poll(async () => (await readMedia(database.db, lost)).status, { timeout: 20_000 })
    .toBe('attached');
  await waitingWorkflow.result();
  expect((await workflowOf(waiting)).workflowId).toBe(waitingWorkflow.workflowId);
  const outbox = database.db
    .selectFrom('outbox')
    .selectAll()
    .where('workflow', '=', fetchMediaWorkflow);
  expect(await outbox.execute()).toEqual([]);
});
