// An upload of a file in chunks: each is a step of the prepare, and the last one is the commit.
import { truncate } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createRandomFile, fileMedia } from '../../support/media/target-media.ts';
import { forFile } from '../../support/fixtures.ts';
import { expectConsistent } from '../../support/networks/consistency.ts';
import {
  advanceToEnd,
  dependenciesOf,
  listTargets,
  writePost,
} from '../../support/networks/posting.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';
import { startUploads, type UploadNetwork } from '../../support/networks/upload-session.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
const chunkBytes = 1_000;
const file = forFile(() => createRandomFile(3_500));
const signal = AbortSignal.timeout(30_000);

/** Publishes the file by the engine. Returns the target's row, and `<phase>: <outcome>` of each call. */
async function publish(network: UploadNetwork) {
  const { db } = database;
  const loadMedia = () => Promise.resolve([fileMedia(file.path)]);
  const dependencies = { ...dependenciesOf(db, network), loadMedia };
  const post = await writePost(db, network);
  await advanceToEnd(dependencies, post.resultIds[0]!);
  const attempts = await db
    .selectFrom('post_attempts')
    .selectAll()
    .where('result_id', '=', post.resultIds[0]!)
    .orderBy('number')
    .execute();
  await expectConsistent(dependencies, network, post);
  const [row] = await listTargets(db, post);
  return { row: row!, calls: attempts.map(({ phase, outcome }) => `${phase}: ${outcome}`) };
}

const upload = ['prepare: more', 'prepare: more', 'prepare: more', 'prepare: prepared'];
const end = ['commit: accepted', 'confirm: accepted', 'confirm: published'];

/** The chunks that arrived, as `<start> <what the network did>`. */
const chunksOf = ({ chunks }: UploadNetwork) =>
  chunks.map(({ start, taken }) => `${start} ${taken}`);
const eachOnce = ['0 stored', '1000 stored', '2000 stored', '3000 stored'];

test('an upload publishes its file with the last chunk', async () => {
  await using network = await startUploads({ chunkBytes });
  const { row, calls } = await publish(network);
  expect(row).toMatchObject({ status: 'published', attempts: 1 });
  expect(calls).toEqual([...upload, ...end]);
  expect(chunksOf(network)).toEqual(eachOnce);
  expect(network.chunks.map(({ bytes }) => bytes)).toEqual([1_000, 1_000, 1_000, 500]);
  expect(await network.listPosts()).toMatchObject([
    { text: row.caption, options: { sha256: file.sha256 } },
  ]);
});

test('an upload continues after a chunk that the network has already', async () => {
  await using network = await startUploads({ chunkBytes });
  const { platform, connection } = network;
  const target = targetOf(connection, { media: [fileMedia(file.path)] });
  const opened = await platform.prepare!(target, signal);
  const after = { ...target, state: opened.state };
  const first = await platform.prepare!(after, signal);
  expect(await platform.prepare!(after, signal)).toEqual(first);
  const state = await prepareTarget(platform, { ...target, state: first.state }, signal);
  await platform.commit({ ...target, state }, signal);
  expect(chunksOf(network)).toEqual(['0 stored', '0 repeated', ...eachOnce.slice(1)]);
  expect(await network.listPosts()).toMatchObject([{ options: { sha256: file.sha256 } }]);
});

test('an upload goes back to the chunk that the network wants', async () => {
  await using network = await startUploads({ chunkBytes });
  const { platform, connection } = network;
  const target = targetOf(connection, { media: [fileMedia(file.path)] });
  const opened = await platform.prepare!(target, signal);
  const tooFar = { ...opened.state, next: 2_000 };
  const state = await prepareTarget(platform, { ...target, state: tooFar }, signal);
  await platform.commit({ ...target, state }, signal);
  expect(chunksOf(network)).toEqual(['2000 refused', ...eachOnce]);
  expect(await network.listPosts()).toMatchObject([{ options: { sha256: file.sha256 } }]);
});

test('an upload starts again if the chunk of the commit is not the next chunk', async () => {
  await using network = await startUploads({ chunkBytes });
  const { platform, connection } = network;
  const target = targetOf(connection, { media: [fileMedia(file.path)] });
  const opened = await platform.prepare!(target, signal);
  const state = { ...opened.state, next: 3_000 };
  expect(await platform.commit({ ...target, state }, signal)).toEqual({ outcome: 'stale' });
  expect(chunksOf(network)).toEqual(['3000 refused']);
});

test('an upload opens a new session when the first one ends in the middle', async () => {
  await using network = await startUploads({ chunkBytes });
  network.switchboard.onCall = (moment, stage, call) => {
    if (`${moment} ${stage} ${call}` === 'before prepare 3') network.expireSessions();
    return Promise.resolve();
  };
  const { row, calls } = await publish(network);
  expect(row).toMatchObject({ status: 'published', attempts: 1 });
  expect(calls).toEqual([...upload.slice(0, 3), ...upload, ...end]);
  expect(network.countSessions()).toBe(2);
  expect(chunksOf(network)).toEqual(['0 stored', ...eachOnce]);
  expect(await network.listPosts()).toMatchObject([{ options: { sha256: file.sha256 } }]);
});

test('an upload is prepared again when its session ends before the commit', async () => {
  await using network = await startUploads({ chunkBytes });
  network.switchboard.onCall = (moment, stage, call) => {
    if (`${moment} ${stage} ${call}` === 'before commit 1') network.expireSessions();
    return Promise.resolve();
  };
  const { row, calls } = await publish(network);
  expect(row).toMatchObject({ status: 'published', attempts: 2 });
  expect(calls).toEqual([...upload, 'commit: stale', ...upload, ...end]);
  expect(network.countSessions()).toBe(2);
});

test('an upload never opens a new session after a lost commit, which may have used the first session', async () => {
  await using network = await startUploads({ chunkBytes });
  const { switchboard } = network;
  switchboard.plans.push({ stage: 'commit', call: 1, times: 1, fault: 'cut_before' });
  switchboard.onCall = (moment, stage, call) => {
    if (`${moment} ${stage} ${call}` === 'after commit 1') network.expireSessions();
    return Promise.resolve();
  };
  const { row, calls } = await publish(network);
  expect(row).toMatchObject({ status: 'failed', error_code: 'outcome_unknown', attempts: 2 });
  const absent = ['reconcile: absent', 'reconcile: absent', 'reconcile: absent'];
  const lost = ['commit: unknown_outcome', ...absent, 'commit: stale'];
  expect(calls).toEqual([...upload, ...lost]);
  expect(network.countSessions()).toBe(1);
});

test('an upload sends a chunk again after its token has expired', async () => {
  await using network = await startUploads({ chunkBytes });
  const fault = 'token_expired';
  network.switchboard.plans.push({ stage: 'prepare', call: 3, times: 1, fault });
  const { row, calls } = await publish(network);
  expect(row.status).toBe('published');
  expect(calls).toEqual([
    ...upload.slice(0, 2),
    'prepare: reauthorize',
    ...upload.slice(2),
    ...end,
  ]);
  expect(chunksOf(network)).toEqual(eachOnce);
});

test('an upload reads ranges of a file that is larger than the memory', async () => {
  const bytes = 64 * 2 ** 30;
  await using sparse = await createRandomFile(20);
  const start = await buffer(fileMedia(sparse.path).open());
  await truncate(sparse.path, bytes);
  const media = fileMedia(sparse.path);
  expect(media.bytes).toBe(bytes);
  expect(await buffer(media.open({ start: 5, end: 14 }))).toEqual(start.subarray(5, 15));
  expect(await buffer(media.open({ start: bytes - 9, end: bytes - 1 }))).toEqual(Buffer.alloc(9));
});
