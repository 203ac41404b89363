// Pruned media: what no recent post uses, with its bytes, its renditions and at last its row.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withWriter, writeSegments } from '../../../activities/media/segments.ts';
import { markerName } from '../../../activities/media/store/file.ts';
import { openStore } from '../../../activities/media/store/open.ts';
import type { MediaStorage } from '../../../activities/media/store/store.ts';
import { createPruning } from '../../../activities/retention/prune.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { attachMedia } from '../../../schema/database/media/uses.ts';
import type { MediaRow } from '../../../schema/database/tables.ts';
import { idAt } from '../../../schema/wire/ids.ts';
import type { PostStatus } from '../../../schema/posts/posts.ts';
import { createTestLog } from '../../support/log.ts';
import { readers } from '../../support/media/images.ts';
import { createMarkedFolder } from '../../support/media/marked-folder.ts';
import { addMedia } from '../../support/rows/media.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { dayMs } from '../../support/rows/old-records.ts';
import { inQuietTransaction, quietNotifier } from '../../support/rows/quiet-transaction.ts';
import { addPost, addProject } from '../../support/rows/rows.ts';

const folder = createMarkedFolder('fanfare-prune-');
const store = await openStore(pathToFileURL(folder).href);
afterAll(() => rm(folder, { recursive: true }));
const listFolders = async () => (await readdir(folder)).filter((name) => name !== markerName);
const storage: MediaStorage = { store, ...readers, maxBytes: 1e9, projectMaxBytes: 1e9 };

const database = useDatabase();
let projectId: string;
beforeAll(async () => {
  projectId = await addProject(database.db);
});
beforeEach(async () => {
  await sql`truncate media, changes cascade`.execute(database.db);
  for (const name of await listFolders()) await rm(join(folder, name), { recursive: true });
});

async function prune(media: MediaStorage | null = storage, log = createTestLog('info')) {
  const config = readConfig({});
  const dependencies = { db: database.db, notifier: quietNotifier, now: Date.now, config };
  const pruning = createPruning({ ...dependencies, media: media ?? undefined, log: log.log });
  return new MockActivityEnvironment().run(pruning.prune, { after: '' });
}

const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);

async function add({ days = 2, bytes = 10, ...change }: AddOptions = {}): Promise<string> {
  const id = await addMedia(database.db, projectId, {
    id: idAt('media', daysAgo(days)),
    ...change,
  });
  await sql`update media set status = 'pending', created_at = ${daysAgo(days)} where id = ${id}`.execute(
    database.db,
  );
  const stream = new Blob([Buffer.alloc(bytes, 1)]).stream();
  await withWriter(database.db, id, (writer) =>
    writeSegments({ db: database.db, store }, { ...writer, from: 0, stream, maxBytes: 1e9 }),
  );
  await sql`update media set status = ${change.status ?? 'uploaded'} where id = ${id}`.execute(
    database.db,
  );
  return id;
}
type AddOptions = Partial<MediaRow> & { days?: number; bytes?: number };

async function use(mediaId: string, status: PostStatus, progressedDaysAgo = 0): Promise<string> {
  const { postId } = await addPost(database.db);
  await inQuietTransaction(database.db, (trx) => attachMedia(trx, postId, [mediaId]));
  await setPostStatus(postId, status, progressedDaysAgo);
  return postId;
}

const setPostStatus = (postId: string, status: PostStatus, progressedDaysAgo: number) =>
  sql`update posts set status = ${status}, progressed_at = ${daysAgo(progressedDaysAgo)}
    where id = ${postId}`.execute(database.db);

const rows = async () =>
  Object.fromEntries(
    (await database.db.selectFrom('media').select(['id', 'status']).execute()).map((row) => [
      row.id,
      row.status,
    ]),
  );
const folders = async () => (await listFolders()).length;
const changes = () =>
  database.db
    .selectFrom('changes')
    .select(['subject', 'subject_id', 'kind'])
    .where('subject', '=', 'media')
    .execute();

describe('prune', () => {
  test('removes media that no post used within a day, and reports their deletion', async () => {
    const [old, young] = [await add({ bytes: 3_000_000 }), await add({ days: 0.9 })];
    const log = createTestLog('info');
    expect(await prune(storage, log)).toBeNull();
    expect(await rows()).toEqual({ [young]: 'uploaded' });
    expect(await listFolders()).toEqual([young]);
    expect(await changes()).toEqual([{ subject: 'media', subject_id: old, kind: 'deleted' }]);
    expect(log.lines).toMatchObject([{ media: 1, emptiedMedia: 1, removedMedia: 1 }]);
    await prune(storage, log);
    expect(log.lines).toHaveLength(1);
  });

  test.each(['draft', 'scheduled', 'pending'] as const)(
    'keeps media of a %s post, however old',
    async (status) => {
      const id = await add({ days: 300 });
      await use(id, status, 300);
      await prune();
      expect(await rows()).toEqual({ [id]: 'attached' });
    },
  );

  test.each(['published', 'partial', 'failed', 'canceled'] as const)(
    'keeps media for 7 days after the last post that uses them is %s',
    async (status) => {
      const id = await add({ days: 100 });
      await use(id, status, 90);
      const last = await use(id, status, 6.9);
      await prune();
      expect(await rows()).toEqual({ [id]: 'attached' });
      await setPostStatus(last, status, 7.1);
      await prune();
      // The row stays for as long as a post names it.
      expect(await rows()).toEqual({ [id]: 'deleted' });
      expect(await database.db.selectFrom('media_segments').selectAll().execute()).toEqual([]);
      await sql`delete from posts`.execute(database.db);
      await prune();
      expect(await rows()).toEqual({});
    },
  );

  test('removes renditions with their source', async () => {
    const id = await add();
    const rendition = await add({ days: 1.5, source_media_id: id, rendition: 'w=100' });
    const postId = await use(id, 'pending');
    await prune();
    expect(await rows()).toEqual({ [id]: 'attached', [rendition]: 'uploaded' });
    await setPostStatus(postId, 'published', 8);
    await prune();
    expect(await rows()).toEqual({ [id]: 'deleted' });
    expect(await changes()).toMatchObject([{ kind: 'attached' }, { subject_id: id }]);
    await sql`delete from posts`.execute(database.db);
    await prune();
    expect(await rows()).toEqual({});
    expect(await folders()).toBe(0);
  });

  test('removes a source only after the bytes of its renditions', async () => {
    const id = await add();
    const rendition = await add({ source_media_id: id, rendition: 'w=100' });
    await use(id, 'published', 8);
    await prune(null);
    await sql`delete from posts`.execute(database.db);
    await sql`update media set is_emptied = true where id = ${id}`.execute(database.db);
    await prune(null);
    expect(Object.keys(await rows()).toSorted()).toEqual([id, rendition].toSorted());
    await prune();
    await prune();
    expect(await rows()).toEqual({});
    expect(await listFolders()).not.toContain(rendition);
  });

  test('removes the bytes of media that a client deleted, whatever their age', async () => {
    await add({ days: 0, status: 'deleted' });
    await prune();
    expect([await rows(), await folders()]).toEqual([{}, 0]);
  });

  test('removes objects that a killed writer left without a row', async () => {
    const id = await add({ status: 'deleted' });
    await store.put(`${id}/2097152-deadbeef`, Buffer.from('x'));
    await sql`delete from media_segments`.execute(database.db);
    await prune();
    expect([await rows(), await folders()]).toEqual([{}, 0]);
  });

  test('waits for an upload that can continue, and for a writer that has not finished', async () => {
    const inDays = (days: number) => daysAgo(-days);
    const renewed = await add({ status: 'pending', upload_expires_at: inDays(0.5) });
    const expired = await add({ status: 'pending', upload_expires_at: daysAgo(0.5) });
    const written = await add({ status: 'deleted' });
    await sql`update media set writer_until = ${inDays(0.1)} where id = ${written}`.execute(
      database.db,
    );
    await prune();
    expect(await rows()).toEqual({ [renewed]: 'pending', [written]: 'deleted' });
    expect(await listFolders()).toEqual([renewed, written].toSorted());
    expect(await changes()).toMatchObject([{ subject_id: expired }]);
    await sql`update media set writer_until = now() - interval '1 s'`.execute(database.db);
    await prune();
    expect(Object.keys(await rows())).toEqual([renewed]);
  });

  test('continues after a store that fails, and forgets no bytes', async () => {
    const ids = [await add(), await add(), await add()];
    await sql`insert into idempotency_keys (project_id, environment, key, scopes, fingerprint, created_at)
      values (${projectId}, 'test', 'k', '{}', '', now() - interval '2 days')`.execute(database.db);
    let calls = 0;
    const failing = {
      ...store,
      removeFolder: (name: string) =>
        ++calls === 2
          ? openFailing().then((lost) => lost.remove(['x/y']))
          : store.removeFolder(name),
    };
    const log = createTestLog('info');
    expect(await prune({ ...storage, store: failing }, log)).toBeNull();
    expect(log.lines).toMatchObject([
      { msg: 'deleted media could not be removed', err: { type: 'StoreError' } },
      { media: 3, emptiedMedia: 1, removedMedia: 1, idempotencyKeys: 1 },
    ]);
    expect(await rows()).toEqual({ [ids[1]!]: 'deleted', [ids[2]!]: 'deleted' });
    expect(await folders()).toBe(2);
    await prune();
    expect([await rows(), await folders()]).toEqual([{}, 0]);
  });

  test('keeps the rows of deleted media until a process with a store prunes them', async () => {
    const id = await add();
    await prune(null);
    expect(await rows()).toEqual({ [id]: 'deleted' });
    await prune();
    expect([await rows(), await folders()]).toEqual([{}, 0]);
  });

  test('removes many media in batches', async () => {
    await sql`insert into media (id, project_id, environment, status)
      select 'med_0' || lpad(i::text, 25, '0'), ${projectId}, 'production', 'uploaded'
      from generate_series(1, 1100) i`.execute(database.db);
    const log = createTestLog('info');
    for (let left = true; left;) left = (await prune(storage, log)) !== null;
    expect(await rows()).toEqual({});
    expect(await changes()).toHaveLength(1_100);
  });

  test('keeps media that a post starts to use meanwhile', async () => {
    const id = await add();
    const attached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const { postId } = await addPost(database.db);
    const using = inQuietTransaction(database.db, async (trx) => {
      await attachMedia(trx, postId, [id]);
      attached.resolve();
      await gate.promise;
    });
    await attached.promise;
    await prune();
    gate.resolve();
    await using;
    expect(await rows()).toEqual({ [id]: 'attached' });
    await prune();
    expect(await rows()).toEqual({ [id]: 'attached' });
  });
});

/** A store whose removals fail: a file is where a folder should be. */
async function openFailing() {
  await store.put('blocked/x', Buffer.from('x'));
  const failing = await openStore(pathToFileURL(join(folder, 'blocked', 'x')).href);
  return {
    async remove(keys: string[]) {
      try {
        await failing.remove(keys);
      } finally {
        await store.removeFolder('blocked');
      }
    },
  };
}
