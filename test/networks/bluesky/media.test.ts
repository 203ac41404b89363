// Images, videos and link cards on Bluesky: at its own server, and through the engine.
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import { checkMedia, mediaRulesOf } from '../../../activities/platforms/media-rules.ts';
import type { MediaFacts } from '../../../activities/platforms/media-rules.ts';
import type {
  Fetch,
  Platform,
  Target,
  TargetMedia,
} from '../../../activities/platforms/platform.ts';
import { bluesky as definition } from '../../../schema/platforms/bluesky.ts';
import { refusal } from '../../support/checks/platform-refusal.ts';
import { createImage, fileMedia } from '../../support/media/target-media.ts';
import { formOf } from '../../support/networks/connection.ts';
import { createBlueskySubject } from '../../support/networks/contract/bluesky.ts';
import { toKind } from '../../support/networks/contract/kind.ts';
import { expectConsistent } from '../../support/networks/consistency.ts';
import type { Fault } from '../../support/networks/faults.ts';
import type { SimulatedNetwork } from '../../support/networks/network.ts';
import { advanceToEnd, dependenciesOf, writePost } from '../../support/networks/posting.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { txtOf } from '../../support/servers/bluesky-identity.ts';
import { startBlueskyPds } from '../../support/servers/bluesky-pds.ts';

// Before the tests are collected, so that a machine that can't have it skips them by name.
const started = await startBlueskyPds();
if ('skipped' in started) console.warn(`No Bluesky server here: ${started.skipped}`);
const pds = 'skipped' in started ? undefined : started;
afterAll(() => pds?.stop());

const folder = await mkdtempDisposable(join(tmpdir(), 'fanfare-bluesky-'));
afterAll(() => folder.remove());

const signal = AbortSignal.timeout(120_000);
let fileCount = 0;

async function mediaOf(bytes: Buffer, change: Partial<TargetMedia>): Promise<TargetMedia> {
  const path = join(folder.path, String(++fileCount));
  await writeFile(path, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return fileMedia(path, { sha256, ...change });
}

function imageOf(width: number, height: number, altText: string | null = null) {
  return createImage({ contentType: 'image/jpeg', width, height, altText });
}

/** As far as a PDS looks: a file type box, and a box of media data. */
function videoOf(size: number, altText: string | null = null): Promise<TargetMedia> {
  const type = Buffer.from('000000186674797069736f6d0000020069736f6d6d703432', 'hex');
  const data = Buffer.alloc(8);
  data.writeUInt32BE(size - type.length);
  data.write('mdat', 4);
  const bytes = Buffer.concat([type, data, randomBytes(size - type.length - data.length)]);
  return mediaOf(bytes, { width: 1_280, height: 720, altText });
}

async function bytesOf(media: TargetMedia): Promise<Buffer> {
  return Buffer.from(await new Response(media.open()).arrayBuffer());
}

/** `uploads`: bytes of each upload that was sent, as its header has them. */
async function connectNew() {
  const uploads: number[] = [];
  const fetchCounted: Fetch = (url, init) => {
    if (url.endsWith('uploadBlob')) {
      uploads.push(Number(new Headers(init?.headers).get('content-length')));
    }
    return fetch(url, init);
  };
  const bluesky = createBluesky({
    fetch: fetchCounted,
    apiUrl: pds!.url,
    plcUrl: pds!.plcUrl,
    lookUpTxt: txtOf({}),
  });
  const account = await pds!.createAccount(`media${++fileCount}.test`, 'correct-horse-battery');
  const credentials = { handle: account.handle, app_password: account.appPassword };
  const connection = await formOf(bluesky).run(credentials, signal);
  const target = (media: TargetMedia[], change: Partial<Target> = {}) =>
    targetOf(connection, { media, ...change });
  return { bluesky, account, target, uploads };
}

async function prepared(bluesky: Platform, target: Target): Promise<Target> {
  return { ...target, state: await prepareTarget(bluesky, target, signal) };
}

interface StoredBlob {
  $type: string;
  ref: { $link: string };
  mimeType: string;
  size: number;
}

interface StoredRecord {
  uri: string;
  value: { embed?: Record<string, unknown> & { images?: { image: StoredBlob }[] } };
}

async function readRecord(did: string): Promise<StoredRecord> {
  const query = new URLSearchParams({ repo: did, collection: 'app.bsky.feed.post' });
  const response = await fetch(`${pds!.url}/xrpc/com.atproto.repo.listRecords?${query.toString()}`);
  const { records } = (await response.json()) as { records: StoredRecord[] };
  expect(records).toHaveLength(1);
  return records[0]!;
}

/** The bytes that anyone gets. Null: the server has no such blob. */
async function readBlob(did: string, { ref }: StoredBlob): Promise<Buffer | null> {
  const query = new URLSearchParams({ did, cid: ref.$link });
  const response = await fetch(`${pds!.url}/xrpc/com.atproto.sync.getBlob?${query.toString()}`);
  return response.ok ? Buffer.from(await response.arrayBuffer()) : null;
}

async function deleteRecord(repo: string, uri: string, { credentials }: Target): Promise<void> {
  const [, , , collection, rkey] = uri.split('/');
  const response = await fetch(`${pds!.url}/xrpc/com.atproto.repo.deleteRecord`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${credentials['accessJwt']}`,
    },
    body: JSON.stringify({ repo, collection, rkey }),
  });
  expect(response.status).toBe(200);
}

const blobLike = (media: TargetMedia) => ({
  $type: 'blob',
  ref: { $link: expect.stringMatching(/^bafkrei/) },
  mimeType: media.contentType,
  size: media.bytes,
});

describe.skipIf(!pds).concurrent('media', () => {
  test('four images arrive byte for byte, with alt text and ratio', async () => {
    const { bluesky, account, target, uploads } = await connectNew();
    const images = await Promise.all([
      imageOf(60, 40, 'A trumpet 🎺'),
      imageOf(40, 60),
      imageOf(10, 10, 'cut \ud83d off'),
      imageOf(70, 20, ''),
    ]);
    const ready = await prepared(bluesky, target(images, { caption: '' }));
    expect(uploads).toEqual(images.map(({ bytes }) => bytes));
    const outcome = await bluesky.commit(ready, signal);
    expect(outcome).toMatchObject({ outcome: 'published' });
    const { value } = await readRecord(account.did);
    expect(value).toEqual(ready.state['record']);
    const alts = ['A trumpet 🎺', '', 'cut \ufffd off', ''];
    expect(value.embed).toEqual({
      $type: 'app.bsky.embed.images',
      images: images.map((image, i) => ({
        image: blobLike(image),
        alt: alts[i],
        aspectRatio: { width: image.width, height: image.height },
      })),
    });
    const stored = value.embed!.images!.map(({ image }) => readBlob(account.did, image));
    expect(await Promise.all(stored)).toEqual(await Promise.all(images.map(bytesOf)));
    expect(await bluesky.reconcile!(ready, signal)).toEqual(outcome);
    expect(await bluesky.commit(ready, signal)).toEqual(outcome);
    await readRecord(account.did);
  });

  test('ten images arrive as a gallery, byte for byte, with alt text and ratio', async () => {
    const { bluesky, account, target } = await connectNew();
    const images = await Promise.all(
      Array.from({ length: 10 }, (_, i) => imageOf(20 + i, 40, i === 0 ? 'A trumpet' : null)),
    );
    const ready = await prepared(bluesky, target(images));
    expect(await bluesky.commit(ready, signal)).toMatchObject({ outcome: 'published' });
    const { embed } = (await readRecord(account.did)).value;
    expect(embed).toEqual({
      $type: 'app.bsky.embed.gallery',
      items: images.map((image, i) => ({
        $type: 'app.bsky.embed.gallery#image',
        image: blobLike(image),
        alt: i === 0 ? 'A trumpet' : '',
        aspectRatio: { width: image.width, height: image.height },
      })),
    });
    const items = embed!['items'] as { image: StoredBlob }[];
    const stored = items.map(({ image }) => readBlob(account.did, image));
    expect(await Promise.all(stored)).toEqual(await Promise.all(images.map(bytesOf)));
  });

  test('the server checks galleries against its lexicon', async () => {
    const { bluesky, target } = await connectNew();
    const images = await Promise.all(Array.from({ length: 5 }, () => imageOf(20, 20)));
    const flat = images.map((image) => ({ ...image, height: 0 }));
    const ready = await prepared(bluesky, target(flat));
    expect(await refusal(bluesky.commit(ready, signal))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('aspectRatio.height'),
    });
  });

  test('a video arrives byte for byte', async () => {
    const { bluesky, account, target } = await connectNew();
    const video = await videoOf(3_000_001, 'A parade');
    await bluesky.commit(await prepared(bluesky, target([video])), signal);
    const { value } = await readRecord(account.did);
    expect(value.embed).toEqual({
      $type: 'app.bsky.embed.video',
      video: blobLike(video),
      alt: 'A parade',
      aspectRatio: { width: 1_280, height: 720 },
    });
    const stored = await readBlob(account.did, value.embed!['video'] as StoredBlob);
    expect(stored!.equals(await bytesOf(video))).toBe(true);
  });

  test('a link card has its picture', async () => {
    const { bluesky, account, target } = await connectNew();
    const picture = await imageOf(120, 63);
    const link = { url: 'https://example.com:8443/a', title: 'Title', description: 'Text' };
    const options = { platformOptions: { link } };
    await bluesky.commit(await prepared(bluesky, target([picture], options)), signal);
    const { value } = await readRecord(account.did);
    expect(value.embed).toEqual({
      $type: 'app.bsky.embed.external',
      external: {
        uri: link.url,
        title: 'Title',
        description: 'Text',
        thumb: blobLike(picture),
      },
    });
    const { thumb } = value.embed!['external'] as { thumb: StoredBlob };
    expect(await readBlob(account.did, thumb)).toEqual(await bytesOf(picture));
  });

  test('a link card without a title shows the host', async () => {
    const { bluesky, account, target } = await connectNew();
    const link = { url: 'https://example.com:8443' };
    await bluesky.commit(
      await prepared(bluesky, target([], { platformOptions: { link } })),
      signal,
    );
    expect((await readRecord(account.did)).value.embed).toEqual({
      $type: 'app.bsky.embed.external',
      external: { uri: 'https://example.com:8443/', title: 'example.com:8443', description: '' },
    });
  });

  test('a file over the limit of the server is refused in the words of the server', async () => {
    const { bluesky, target } = await connectNew();
    const video = await videoOf(6_000_000);
    expect(await refusal(prepared(bluesky, target([video])))).toMatchObject({
      kind: 'rejected',
      message: 'Bluesky refused the request: PayloadTooLarge: request entity too large',
      options: { platformCode: 'PayloadTooLarge', providerError: { status: 413 } },
    });
  });

  test('an image over the limit of the lexicon is refused in the words of the server', async () => {
    const { bluesky, target } = await connectNew();
    const image = await imageOf(1_700, 1_200);
    expect(image.bytes).toBeGreaterThan(definition.rules.media.linkCard.maxBytes);
    const link = { url: 'https://example.com' };
    const ready = await prepared(bluesky, target([image], { platformOptions: { link } }));
    expect(await refusal(bluesky.commit(ready, signal))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'InvalidRequest' },
    });
  });

  test('a blob that the server deleted is uploaded again', async () => {
    const { bluesky, account, target } = await connectNew();
    const image = await imageOf(30, 30);
    const ready = await prepared(bluesky, target([image]));
    // The server deletes a blob with the last record that references it.
    const other = await prepared(bluesky, target([image]));
    await bluesky.commit(other, signal);
    const { uri } = await readRecord(account.did);
    await deleteRecord(account.did, uri, other);
    expect(await bluesky.commit(ready, signal)).toEqual({ outcome: 'stale' });
    expect(await bluesky.reconcile!(ready, signal)).toEqual({ outcome: 'absent' });
    const again = await prepared(bluesky, { ...ready, state: {} });
    expect(again.state).toEqual(ready.state);
    expect(await bluesky.commit(again, signal)).toMatchObject({ outcome: 'published' });
  });

  test('each step uploads one file, and a repeated step repeats only this file', async () => {
    const { bluesky, account, target, uploads } = await connectNew();
    const images = await Promise.all([imageOf(20, 20), imageOf(21, 20), imageOf(22, 20)]);
    const [first, second, third] = images.map(({ bytes }) => bytes);
    let current = target(images);
    const step = async () => {
      const { outcome, state } = await bluesky.prepare!(current, signal);
      // As the database gives it back.
      return { outcome, state: JSON.parse(JSON.stringify(state)) as Target['state'] };
    };
    current = { ...current, state: (await step()).state };
    // Its state was lost with the process.
    await step();
    expect(uploads).toEqual([first, second]);
    current = { ...current, state: (await step()).state };
    current = { ...current, state: (await step()).state };
    const last = await step();
    expect([last.outcome, uploads]).toEqual(['prepared', [first, second, second, third]]);
    await bluesky.commit({ ...current, state: last.state }, signal);
    const { value } = await readRecord(account.did);
    const stored = value.embed!.images!.map(({ image }) => readBlob(account.did, image));
    expect(await Promise.all(stored)).toEqual(await Promise.all(images.map(bytesOf)));
  });
});

describe.skipIf(!pds)('a post with media, through the engine', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  async function publish(network: SimulatedNetwork, media: TargetMedia[]): Promise<void> {
    const dependencies = {
      ...dependenciesOf(database.db, network),
      loadMedia: () => Promise.resolve(media),
    };
    const post = await writePost(database.db, network);
    await advanceToEnd(dependencies, post.resultIds[0]!);
    const [row] = await expectConsistent(dependencies, network, post);
    expect(row).toMatchObject({ status: 'published' });
  }

  test.each<[Fault, number]>([
    ['cut_before', 4],
    ['answer_lost', 4],
    ['error_after', 4],
    ['limited', 4],
    ['token_expired', 4],
  ])('is published after its second upload met %s', async (fault, uploads) => {
    await using network = await toKind(createBlueskySubject(pds!)).start(database.db);
    network.switchboard.plans.push({ stage: 'prepare', call: 2, times: 1, fault });
    const media = await Promise.all([imageOf(20, 30), imageOf(30, 20), imageOf(30, 30)]);
    await publish(network, media);
    expect(network.switchboard.count('prepare')).toBe(uploads);
    const posts = await network.listPosts();
    expect(posts).toHaveLength(1);
    expect(posts[0]!.options).toMatchObject({
      embed: { images: media.map((image) => ({ image: blobLike(image) })) },
    });
  });

  test('is published once after the answer to its commit was lost', async () => {
    await using network = await toKind(createBlueskySubject(pds!)).start(database.db);
    network.switchboard.plans.push({ stage: 'commit', call: 1, times: 1, fault: 'answer_lost' });
    const media = [await imageOf(20, 30)];
    await publish(network, media);
    expect(network.switchboard.count('prepare')).toBe(1);
    expect(await network.listPosts()).toHaveLength(1);
  });
});

describe('the rules', () => {
  const facts: MediaFacts = {
    kind: 'image',
    contentType: 'image/jpeg',
    bytes: 1_500_000,
    width: 100,
    height: 100,
    durationMs: null,
    altText: null,
    url: null,
  };
  const link = { url: 'https://example.com' };

  function check(media: MediaFacts[], options: Record<string, unknown> = {}) {
    const { title, rules } = mediaRulesOf(definition, options);
    const place = { path: ['media'], pathOf: (i: number) => ['media', i], autoFit: false };
    const { errors, warnings } = checkMedia(title, rules, media, place);
    return [...errors, ...warnings].map(({ code, message }) => [code, message]);
  }

  test('give a link card a picture with a limit of its own', () => {
    expect(check([facts])).toEqual([]);
    expect(check([facts], { link })).toEqual([
      ['media_too_large', 'A link card of Bluesky accepts images of at most 1000000 bytes.'],
    ]);
    expect(check([{ ...facts, bytes: 1_000_000 }], { link })).toEqual([]);
  });

  test('give a link card no other media', () => {
    const image = { ...facts, bytes: 1_000 };
    const video = { ...facts, kind: 'video', contentType: 'video/mp4', durationMs: 1_000 } as const;
    expect(check([video])).toEqual([]);
    expect(check([video], { link })).toEqual([
      ['media_kind_not_supported', "A link card of Bluesky doesn't accept videos."],
    ]);
    expect(check([image, image])).toEqual([]);
    expect(check([image, image], { link })).toEqual([
      ['too_many_media', 'A link card of Bluesky accepts at most 1 image per post.'],
    ]);
    expect(check([{ ...image, altText: 'A trumpet' }], { link })).toEqual([
      ['alt_text_ignored', 'A link card of Bluesky shows no alt texts.'],
    ]);
  });

  test('take ten images or one video', () => {
    const video = {
      ...facts,
      kind: 'video',
      contentType: 'video/mp4',
      durationMs: 600_000,
    } as const;
    const many = (count: number) => Array.from({ length: count }, () => facts);
    expect(check(many(10))).toEqual([]);
    expect(check(many(11))[0]![0]).toBe('too_many_media');
    expect(check([video, video])[0]![0]).toBe('too_many_media');
    expect(check([facts, video])[0]![0]).toBe('media_mix_not_supported');
    expect(check([{ ...video, durationMs: 600_001 }])[0]![0]).toBe('media_too_long');
    expect(check([{ ...facts, bytes: 2_000_001 }])[0]![0]).toBe('media_too_large');
    expect(check([{ ...facts, altText: 'x'.repeat(2_001) }])[0]![0]).toBe('alt_text_too_long');
  });

  test.each([
    [{ url: 'https://example.com' }, true],
    [{ url: 'ftp://example.com' }, false],
    [{ title: 'No URL' }, false],
    [{ url: 'https://example.com', title: '' }, false],
    [{ url: 'https://example.com', title: 'x'.repeat(301) }, false],
    [{ url: 'https://example.com', image: 'x' }, false],
  ])('take the option link %j: %s', (given, isTaken) => {
    expect(definition.options.safeParse({ link: given }).success).toBe(isTaken);
  });
});
