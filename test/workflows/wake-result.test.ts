// The workflow that asks about a target before its next poll, on a real Temporal server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlatforms } from '../../activities/platforms/index.ts';
import type { Platform } from '../../activities/platforms/platform.ts';
import { publishedAs } from '../../activities/platforms/results.ts';
import { keepWorker } from '../../api/server/keep-worker.ts';
import { wakeTarget } from '../../schema/database/posts/after-publishing/waking.ts';
import type { PostResultRow } from '../../schema/database/tables.ts';
import { createEngine, type Engine } from '../support/app/engine.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { addTarget, getResult } from '../support/rows/targets.ts';
import { createScriptedNetwork } from '../support/scripted-network.ts';
import { installQuietRuntime } from '../support/servers/quiet-runtime.ts';
import { createTestNamespace, type TestNamespace } from '../support/servers/temporal.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let engine: Engine;

beforeAll(async () => {
  installQuietRuntime();
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
  engine = createEngine(database, { namespace: namespace.namespace });
});

afterAll(async () => {
  await engine.close();
  await Promise.all([namespace.close(), database.drop()]);
});

const laterMs = 3_600_000;
const later = () => new Date(Date.now() + laterMs);

async function addWaiting(
  columns: Partial<PostResultRow>,
): Promise<{ postId: string; id: string }> {
  const { postId, resultId: id } = await addTarget(database.db);
  await database.db
    .updateTable('post_results')
    .set(columns as object)
    .where('id', '=', id)
    .execute();
  return { postId, id };
}

const wake = async (id: string) =>
  wakeTarget(database.db, engine.notifier, await getResult(database.db, id));

test('a woken target is asked about now, and its post is concluded', async () => {
  const { db } = database;
  const platform: Platform = {
    ...createScriptedNetwork().platform,
    confirm: () => Promise.resolve(publishedAs('7', 'https://example.com/7', 'public')),
    followUp: () => Promise.resolve({ outcome: 'done', finished: { externalId: '8' } }),
  };
  const worker = keepWorker({
    ...engine,
    platforms: createPlatforms([platform]),
    address: namespace.address,
  });
  try {
    await worker.ready;
    const polled = await addWaiting({
      status: 'publishing',
      phase: 'confirm',
      next_attempt_at: later(),
    });
    const followed = await addWaiting({
      status: 'published',
      follow_at: later(),
      follow_until: later(),
    });
    expect(await wake(polled.id)).toBe(true);
    expect(await wake(followed.id)).toBe(true);
    const read = (id: string) => getResult(db, id);
    await expect
      .poll(() => read(polled.id), { timeout: 20_000 })
      .toMatchObject({ status: 'published', external_id: '7' });
    await expect
      .poll(() => read(followed.id), { timeout: 20_000 })
      .toMatchObject({ follow_at: null, external_id: '8' });
    const post = () =>
      db.selectFrom('posts').select('status').where('id', '=', polled.postId).executeTakeFirst();
    await expect.poll(post, { timeout: 20_000 }).toEqual({ status: 'published' });
    expect(await wake(polled.id)).toBe(false);
    expect(await wake(followed.id)).toBe(false);
  } finally {
    await worker.stop();
  }
});
