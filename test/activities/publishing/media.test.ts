// The media of a target: it waits for them, fails with them, and its network gets them fitted.
import { rm } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { beforeEach, expect, test } from 'vitest';
import type { Images } from '../../../activities/media/images/images.ts';
import { MediaError } from '../../../activities/media/media-error.ts';
import { createMediaLoader } from '../../../activities/media/load-media.ts';
import { createPublicUrls } from '../../../activities/platforms/public-urls.ts';
import { openFileStore } from '../../../activities/media/store/file.ts';
import { StoreError, type MediaStore } from '../../../activities/media/store/store.ts';
import type { TargetMedia } from '../../../activities/platforms/platform.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { findWaitReason } from '../../../schema/database/posts/wait-reason.ts';
import type { MediaItem } from '../../../schema/database/tables.ts';
import { forFile } from '../../support/fixtures.ts';
import { images } from '../../support/media/images.ts';
import { createMarkedFolder } from '../../support/media/marked-folder.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { simulatedMedia } from '../../support/networks/network.ts';
import { createScriptedNetwork, type ScriptedNetwork } from '../../support/scripted-network.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addImage } from '../../support/rows/media.ts';
import { rowsVault } from '../../support/rows/rows.ts';
import { statementsOf } from '../../support/rows/statements.ts';
import { addTarget, advanceToEnd, getResult, targetRun } from '../../support/rows/targets.ts';

const database = useDatabase();
const publicUrls = createPublicUrls(rowsVault, 'https://fanfare.test');
const folder = forFile(() => {
  const path = createMarkedFolder('fanfare-media-');
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
});

let network: ScriptedNetwork;
/** The media that the network was given. */
let given: readonly TargetMedia[];
let dependencies: AdvanceDependencies;
let store: MediaStore;

beforeEach(() => {
  network = createScriptedNetwork();
  given = [];
  const { definition, commit } = network.platform;
  const image = { ...simulatedMedia.image!, maxWidth: 100 };
  const rules = { ...definition.rules, media: { ...simulatedMedia, image, video: null } };
  const platform = {
    ...network.platform,
    definition: { ...definition, rules },
    commit: (...call: Parameters<typeof commit>) => {
      given = call[0].media;
      return commit(...call);
    },
  };
  store = openFileStore(folder.path);
  dependencies = {
    ...dependenciesOf(database.db, { platform }),
    loadMedia: (...call) =>
      createMediaLoader({ db: database.db, publicUrls, media: { store, images } })(...call),
  };
});

const itemOf = (id: string): MediaItem => ({
  id,
  url: null,
  alt_text: null,
  thumbnail_id: null,
  thumbnail_at_ms: null,
});

/** A target of a post with these media. */
async function addWith(change: Parameters<typeof addImage>[2], autoFit = true) {
  const { db } = database;
  const target = await addTarget(db);
  const mediaId = await addImage(db, target.projectId, change);
  await db
    .updateTable('posts')
    .set({ media: JSON.stringify([itemOf(mediaId)]), auto_fit: autoFit })
    .where('id', '=', target.postId)
    .execute();
  return { ...target, mediaId };
}

/** Stores the bytes as an uploaded image. */
async function storeImage(mediaId: string, bytes: Buffer, change: object = {}) {
  const key = `${mediaId}/0-00000000`;
  await store.put(key, bytes);
  const { width, height } = await sharp(bytes).metadata();
  const segment = { media_id: mediaId, start_byte: 0, bytes: bytes.length, key };
  await database.db.insertInto('media_segments').values(segment).execute();
  await database.db
    .updateTable('media')
    .set({
      status: 'uploaded',
      width,
      height,
      size_bytes: bytes.length,
      received_bytes: bytes.length,
      ...change,
    })
    .where('id', '=', mediaId)
    .execute();
}

const photo = (width: number) =>
  sharp({ create: { width, height: 50, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();

const bytesOf = (media: TargetMedia) => buffer(media.open());
const advance = (resultId: string) => advanceTarget(dependencies, { resultId, run: targetRun });

test('the target waits until its media have arrived, and gets them byte for byte', async () => {
  const { resultId, mediaId } = await addWith({ status: 'pending', url: 'https://media.test/a' });
  const { waitMs } = await advance(resultId);
  expect(waitMs).toBeGreaterThan(100);
  const waiting = await getResult(database.db, resultId);
  expect(findWaitReason(waiting, [waiting])).toBe('media');
  const bytes = await photo(100);
  await storeImage(mediaId, bytes);
  expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
  expect(given).toMatchObject([{ id: mediaId, kind: 'image', contentType: 'image/jpeg' }]);
  expect(await bytesOf(given[0]!)).toEqual(bytes);
});

test('a step reads its target, its media and its login once', async () => {
  const { resultId, mediaId } = await addWith({ status: 'pending' });
  await storeImage(mediaId, await photo(100));
  // The engine is not running, so all statements are of the step.
  const statements = await statementsOf(() => advance(resultId), /^$/);
  expect(network.calls).toBe(1);
  const countOf = (source: string) => statements.filter((text) => text.includes(source)).length;
  const sources = ['from "post_results" as "r"', 'from media ', 'join "grants"'];
  expect(sources.map(countOf), statements.join('\n')).toEqual([1, 1, 1]);
});

test.each([
  [{ status: 'failed', error_code: 'media_unreachable' }, 'media_unreachable', 'retry'],
  [{ status: 'failed', error_code: 'media_hash_mismatch' }, 'media_invalid', 'edit_content'],
  [{ status: 'deleted' }, 'media_expired', 'edit_content'],
] as const)('a target fails with media that are %j', async (change, code, nextAction) => {
  const { resultId } = await addWith({ error_message: 'No.', ...change });
  expect(await advanceToEnd(dependencies, resultId)).toMatchObject({
    status: 'failed',
    error_code: code,
    failure_stage: 'prepare',
    next_action: nextAction,
  });
  expect(network.calls).toBe(0);
});

test('an image is fitted once, for all targets with the same rules', async () => {
  const first = await addWith({ status: 'pending' });
  await storeImage(first.mediaId, await photo(400));
  await advanceToEnd(dependencies, first.resultId);
  expect(given).toMatchObject([{ width: 100, contentType: 'image/jpeg', kind: 'image' }]);
  const [fitted] = given;
  const bytes = await bytesOf(fitted!);
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 100, format: 'jpeg' });
  expect(bytes.length).toBe(fitted!.bytes);

  const second = await addWith({});
  const media = JSON.stringify([itemOf(first.mediaId)]);
  const { db } = database;
  await db.updateTable('posts').set({ media }).where('id', '=', second.postId).execute();
  await advanceToEnd(dependencies, second.resultId);
  expect(given[0]!.id).toBe(fitted!.id);
});

test('an image with a location is cleaned even without auto_fit', async () => {
  const { resultId, mediaId } = await addWith({ status: 'pending' }, false);
  const turned = await sharp(await photo(80))
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .jpeg()
    .toBuffer();
  await storeImage(mediaId, turned, { needs_cleaning: true });
  expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
  expect((await sharp(turned).metadata()).exif).toBeDefined();
  expect((await sharp(await bytesOf(given[0]!)).metadata()).exif).toBeUndefined();
});

test('targets that begin together share one fit', async () => {
  let fits = 0;
  const counted: Images = {
    ...images,
    fit(...call) {
      fits++;
      return images.fit(...call);
    },
  };
  dependencies.loadMedia = createMediaLoader({
    db: database.db,
    publicUrls,
    media: { store, images: counted },
  });
  const first = await addWith({});
  await storeImage(first.mediaId, await photo(400));
  const second = await addWith({});
  const media = JSON.stringify([itemOf(first.mediaId)]);
  const { db } = database;
  await db.updateTable('posts').set({ media }).where('id', '=', second.postId).execute();
  const both = [first, second].map(({ resultId }) => advanceToEnd(dependencies, resultId));
  for (const ended of await Promise.all(both)) expect(ended).toMatchObject({ status: 'published' });
  expect(fits).toBe(1);
});

test('an image that could not be fitted is not fitted again for a later target', async () => {
  let fits = 0;
  const refusing: Images = {
    ...images,
    fit: () => {
      fits++;
      throw new MediaError('media_too_large', 'It takes too long.');
    },
  };
  dependencies.loadMedia = createMediaLoader({
    db: database.db,
    publicUrls,
    media: { store, images: refusing },
  });
  const first = await addWith({ status: 'pending' });
  await storeImage(first.mediaId, await photo(400));
  const second = await addWith({});
  const media = JSON.stringify([itemOf(first.mediaId)]);
  const { db } = database;
  await db.updateTable('posts').set({ media }).where('id', '=', second.postId).execute();
  for (const { resultId } of [first, second]) {
    expect(await advanceToEnd(dependencies, resultId)).toMatchObject({
      status: 'failed',
      error_message: 'It takes too long.',
    });
  }
  expect(fits).toBe(1);
});

test('media that came by URL and break the rules fail the target, and the error has the limit and the actual value', async () => {
  const { resultId, mediaId } = await addWith({ status: 'pending' }, false);
  await storeImage(mediaId, await photo(400));
  expect(await advanceToEnd(dependencies, resultId)).toMatchObject({
    status: 'failed',
    error_code: 'media_invalid',
    error_message: expect.stringContaining('at most 100 pixels in width'),
    failure_stage: 'prepare',
  });
  expect(network.calls).toBe(0);
});

test('a store that does not answer delays the target', async () => {
  const { resultId, mediaId } = await addWith({ status: 'pending' });
  await storeImage(mediaId, await photo(400));
  const working = store;
  let refusals = 2;
  store = {
    ...working,
    put(key, bytes) {
      if (refusals-- > 0) throw new StoreError('unavailable', 'Away.');
      return working.put(key, bytes);
    },
  };
  expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
  expect(refusals).toBeLessThan(0);
});

test('a worker without a store delays the target', async () => {
  const { resultId, mediaId } = await addWith({ status: 'pending' });
  await storeImage(mediaId, await photo(100));
  let isMissing = true;
  dependencies.loadMedia = (...call) => {
    const load = createMediaLoader({
      db: database.db,
      publicUrls,
      media: isMissing ? undefined : { store, images },
    });
    isMissing = false;
    return load(...call);
  };
  expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
  expect(isMissing).toBe(false);
});

test('a check for a lost post needs no store', async () => {
  const { resultId, mediaId } = await addWith({ status: 'pending' });
  await storeImage(mediaId, await photo(100));
  network.script = ['lose_answer'];
  await advance(resultId);
  dependencies.loadMedia = createMediaLoader({ db: database.db, publicUrls, media: undefined });
  expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
  expect(network.posts).toHaveLength(1);
});

test('a check for a lost post needs no media', async () => {
  const { resultId, mediaId } = await addWith({ status: 'pending' });
  await storeImage(mediaId, await photo(100));
  network.script = ['lose_answer'];
  await advance(resultId);
  await database.db
    .updateTable('media')
    .set({ status: 'deleted' })
    .where('id', '=', mediaId)
    .execute();
  const ended = await advanceToEnd(dependencies, resultId);
  expect(ended).toMatchObject({ status: 'published', error_code: null });
  expect(network.posts).toHaveLength(1);
});
