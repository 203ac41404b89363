// A file goes to the sandbox in parts, each of which is a step of the prepare.
import { beforeEach, describe, expect, test } from 'vitest';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import type { Fetch, TargetMedia } from '../../../../activities/platforms/platform.ts';
import { createSandboxPlatform } from '../../../../activities/platforms/sandbox/index.ts';
import { createTestSandbox } from '../../../support/app/sandbox.ts';
import { createRandomFile, fileMedia } from '../../../support/media/target-media.ts';
import { forFile } from '../../../support/fixtures.ts';
import { createImage } from '../../../support/media/target-media.ts';
import { formOf } from '../../../support/networks/connection.ts';
import { expectConsistent } from '../../../support/networks/consistency.ts';
import { sandbox } from '../../../support/networks/contract/sandbox.ts';
import {
  createFailingWorker,
  createWorkerPool,
  type FailingWorker,
} from '../../../support/networks/failing-worker.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import type { SimulatedNetwork } from '../../../support/networks/network.ts';
import { advanceToEnd, dependenciesOf, writePost } from '../../../support/networks/posting.ts';
import { expireLeases } from '../../../support/networks/step-failures.ts';
import { prepareTarget, targetOf } from '../../../support/networks/target.ts';
import { useDatabase } from '../../../support/rows/database.ts';

const partBytes = 65_536;
const partCount = 5;

const database = useDatabase();
const file = forFile(() => createRandomFile(partBytes * partCount - 100));
const pool = forFile(
  () => createWorkerPool(database.url),
  (made) => made.end(),
);
const signal = AbortSignal.timeout(120_000);

const video = (change: Partial<TargetMedia> = {}) =>
  fileMedia(file.path, { sha256: file.sha256, ...change });

interface MediaNetwork extends SimulatedNetwork {
  /** First byte of each part that was sent. */
  readonly sent: string[];
}

async function start(media: readonly TargetMedia[]): Promise<MediaNetwork> {
  const switchboard = createSwitchboard();
  const network = await sandbox.start(switchboard, database.db);
  const sent: string[] = [];
  const fetchCounted: Fetch = (url, init = {}) =>
    switchboard.take(() => {
      const range = new Headers(init.headers).get('content-range');
      const [, start] = /^bytes (\d+)-/.exec(range ?? '') ?? [];
      if (start !== undefined) sent.push(start);
      return fetch(url, init);
    });
  const apiUrl = network.env['FANFARE_SANDBOX_API_URL']!;
  const publicUrl = 'http://sandbox.test';
  const platform = switchboard.watch(
    createSandboxPlatform({ fetch: fetchCounted, apiUrl, publicUrl, partBytes }),
  );
  return {
    ...network,
    platform,
    switchboard,
    media,
    sent,
    connection: await formOf(platform).run(network.credentials, signal),
    countRefreshes: () => network.countRefreshes!(),
  };
}

/** Publishes by the engine. Returns `<phase>: <outcome>` of each call. */
async function publish(network: MediaNetwork): Promise<string[]> {
  const { db } = database;
  const dependencies = dependenciesOf(db, network);
  const post = await writePost(db, network);
  await advanceToEnd(dependencies, post.resultIds[0]!);
  await expectConsistent(dependencies, network, post);
  const attempts = await db
    .selectFrom('post_attempts')
    .select(['phase', 'outcome'])
    .where('result_id', '=', post.resultIds[0]!)
    .orderBy('number')
    .execute();
  return attempts.map(({ phase, outcome }) => `${phase}: ${outcome}`);
}

const more = (count: number) => Array<string>(count).fill('prepare: more');
const end = ['prepare: prepared', 'commit: published'];
const starts = Array.from({ length: partCount }, (_, i) => String(i * partBytes));

const deleteMedia = () => database.db.deleteFrom('sandbox_media').execute();
beforeEach(deleteMedia);

test('a prepare sends each part once, and the commit publishes the files in their order', async () => {
  const [first, last] = [await createImage({ altText: 'A "first" one' }), await createImage()];
  await using network = await start([first, video(), last]);
  // Each file is created first.
  expect(await publish(network)).toEqual([...more(2 + 1 + partCount + 1), ...end]);
  expect(network.sent).toEqual(['0', ...starts, '0']);
  const [post] = await network.listPosts();
  expect(post!.media).toEqual([first.sha256, file.sha256, last.sha256]);
  const rows = await database.db.selectFrom('sandbox_media').selectAll().orderBy('id').execute();
  expect(rows).toMatchObject([
    { content_type: 'image/png', alt_text: 'A "first" one', is_complete: true },
    { content_type: 'video/mp4', alt_text: null, bytes: video().bytes },
    { content_type: 'image/png', alt_text: 'Noise' },
  ]);
});

test('a post without media begins with the commit', async () => {
  await using network = await start([]);
  expect(await publish(network)).toEqual(['commit: published']);
});

describe('a worker that dies', () => {
  /** Undefined: the file is not created yet. */
  async function countStored(): Promise<number | undefined> {
    const query = database.db.selectFrom('sandbox_media').select('received_bytes');
    const media = await query.executeTakeFirst();
    return media && Math.ceil(media.received_bytes / partBytes);
  }

  /** Publishes with one worker after the other, each of which dies at the next part. */
  async function publishWithDeaths(network: MediaNetwork, moment: 'before' | 'after') {
    const { db } = database;
    const post = await writePost(db, network);
    const advance = (worker: Pick<FailingWorker, 'db'>) =>
      advanceToEnd(dependenciesOf(worker.db, network), post.resultIds[0]!);
    let deaths = 0;
    for (let isAlive = false; !isAlive;) {
      isAlive = true;
      const worker = createFailingWorker({ pool });
      network.switchboard.onCall = async (now, stage) => {
        if (stage !== 'prepare' || now !== moment) return;
        const stored = await countStored();
        if (stored !== (now === 'before' ? deaths : deaths + 1)) return;
        deaths++;
        isAlive = false;
        await worker.die();
      };
      await worker.run(() => advance(worker));
      await expireLeases(db, post);
    }
    const areAttemptsComplete = false;
    await expectConsistent(dependenciesOf(db, network), network, post, { areAttemptsComplete });
    return deaths;
  }

  test.each(['before', 'after'] as const)(
    'causes no part to be sent twice if it dies %s a part',
    async (moment) => {
      await using network = await start([video()]);
      expect(await publishWithDeaths(network, moment)).toBe(partCount);
      expect(network.sent).toEqual(starts);
      const [post] = await network.listPosts();
      expect(post!.media).toEqual([file.sha256]);
    },
  );
});

test('a prepare continues in the middle of a part that broke off', async () => {
  await using large = await createRandomFile(2_500_000);
  const { platform, close } = await createTestSandbox(database.db).listen();
  const connection = await formOf(platform).run({ handle: 'ada' }, signal);
  const media = fileMedia(large.path, { sha256: large.sha256 });
  const target = targetOf(connection, { media: [media] });
  const { state } = await platform.prepare!(target, signal);
  const broken = { ...media, open: () => breakOff(media.open({ start: 0, end: 1_499_999 })) };
  const failing = platform.prepare!({ ...target, media: [broken], state }, signal);
  await expect(failing).rejects.toMatchObject({ kind: 'unavailable' });
  const rows = Array.from({ length: 10 }, (_, i) => i * 262_144);
  await expect.poll(listRows).toEqual(rows.slice(0, 5));
  const prepared = await prepareTarget(platform, { ...target, state }, signal);
  expect(await listRows()).toEqual(rows);
  const committed = await platform.commit({ ...target, state: prepared }, signal);
  expect(committed.outcome).toBe('published');
  await close();
});

/** First byte of each stored row. */
async function listRows(): Promise<number[]> {
  const query = database.db.selectFrom('sandbox_media_parts').select('start_byte');
  return (await query.orderBy('start_byte').execute()).map(({ start_byte }) => start_byte);
}

/** The connection breaks after these bytes, once the sandbox has stored their full rows. */
function breakOff(bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return ReadableStream.from(
    (async function* () {
      yield* bytes;
      await expect.poll(listRows).toHaveLength(5);
      throw new Error('The file is gone.');
    })(),
  );
}

test('a prepare creates a file again that the network has lost', async () => {
  await using network = await start([await createImage(), video()]);
  const { switchboard } = network;
  switchboard.onCall = async (moment, stage, call) => {
    // The image has three calls, the video was created by the fourth one, and has two for each part.
    if (`${moment} ${stage} ${call}` === 'before prepare 7') {
      await database.db
        .deleteFrom('sandbox_media')
        .where('content_type', '=', 'video/mp4')
        .execute();
    }
  };
  expect(await publish(network)).toEqual([...more(2 + 1 + 1 + 1 + 1 + partCount - 1), ...end]);
  expect(network.sent).toEqual(['0', '0', ...starts]);
});

test('a target is prepared again when the media are gone at the commit', async () => {
  await using network = await start([await createImage()]);
  network.switchboard.onCall = async (moment, stage, call) => {
    if (`${moment} ${stage} ${call}` === 'before commit 1') await deleteMedia();
  };
  const prepared = [...more(1), 'prepare: prepared'];
  expect(await publish(network)).toEqual([...prepared, 'commit: stale', ...prepared, end[1]]);
});

test.each([
  ['a type', { contentType: 'image/tiff' }, 'invalid_request'],
  ['a size', { bytes: 536_870_913 }, 'invalid_request'],
  ['an alt text', { altText: 'a'.repeat(2_001) }, 'invalid_request'],
  ['a hash', { sha256: '0'.repeat(64) }, 'wrong_sha256'],
])('a prepare reports the refusal of %s', async (_, change, code) => {
  const media = [await createImage(change)];
  await using network = await start(media);
  const target = targetOf(network.connection, { media });
  const refused = await prepareTarget(network.platform, target, signal).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(PlatformError);
  expect(refused).toMatchObject({ kind: 'rejected', options: { platformCode: code } });
});
