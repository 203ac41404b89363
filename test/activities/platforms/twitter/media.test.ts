// Images, GIFs and videos to X: their uploads in segments, what X makes of them, and their rules.
import { describe, expect, test } from 'vitest';
import {
  checkMedia,
  planFit,
  type MediaFacts,
} from '../../../../activities/platforms/media-rules.ts';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { twitter as definition } from '../../../../schema/platforms/twitter.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import {
  createImage,
  createRandomFile,
  createVideo,
  fileMedia,
} from '../../../support/media/target-media.ts';
import { startTwitter } from '../../../support/networks/twitter/connected.ts';

const never = new AbortController().signal;
type X = Awaited<ReturnType<typeof startTwitter>>;

/** The calls of each step. */
async function listSteps(x: X, given: Target): Promise<{ calls: string[][]; target: Target }> {
  const calls: string[][] = [];
  for (let target = given; ;) {
    x.network.calls.length = 0;
    const step = await x.twitter.prepare!(target, never);
    const paths = x.network.calls.map((call) => call.replaceAll(/\/2\/media|\d{19}/g, ''));
    calls.push(paths);
    target = { ...target, state: step.state };
    if (step.outcome === 'prepared') return { calls, target };
  }
}

describe('an image', () => {
  test('is uploaded and described with one call per step, and then posted', async () => {
    await using x = await startTwitter();
    const image = await createImage({ altText: 'A & b' });
    const { calls, target } = await listSteps(x, x.target({ media: [image] }));
    expect(calls).toEqual([
      ['POST /upload/initialize'],
      ['POST /upload//append'],
      ['POST /upload//finalize'],
      ['POST /metadata'],
    ]);
    expect(await x.network.requests[0]!.json()).toEqual({
      media_type: 'image/png',
      total_bytes: image.bytes,
      media_category: 'tweet_image',
    });
    expect(x.network.posts).toEqual([]);
    await x.commit(target);
    const [found] = x.network.media.all.values();
    const { id, altText } = found!;
    expect(altText).toBe('A & b');
    expect(await x.network.requests.at(-1)!.json()).toEqual({
      text: 'Hello',
      media: { media_ids: [id] },
    });
    expect(x.network.listPosts()).toMatchObject([{ media: [image.sha256] }]);
  });

  test('is not described if it has no alt text', async () => {
    await using x = await startTwitter();
    const media = [await createImage({ altText: null }), await createImage({ altText: null })];
    const { calls } = await listSteps(x, x.target({ media }));
    const one = [['POST /upload/initialize'], ['POST /upload//append'], ['POST /upload//finalize']];
    expect(calls).toEqual([...one, ...one]);
  });

  test('needs no text, and keeps its place among four', async () => {
    await using x = await startTwitter();
    const media = await Promise.all([1, 2, 3, 4].map(() => createImage()));
    await x.commit(await x.prepare(x.target({ caption: '', media })));
    expect(x.network.listPosts()).toMatchObject([
      { text: '', media: media.map(({ sha256 }) => sha256) },
    ]);
    expect(await x.network.requests.at(-1)!.json()).not.toHaveProperty('text');
  });
});

describe('a video', () => {
  test('is sent in segments of 4 MiB, one in a step, and is processed', async () => {
    await using x = await startTwitter();
    await using file = await createRandomFile(9_000_000);
    x.network.media.processing = 3;
    const video = fileMedia(file.path, { altText: 'Not shown' });
    const { calls, target } = await listSteps(x, x.target({ media: [video] }));
    const status = ['GET /upload'];
    expect(calls).toEqual([
      ['POST /upload/initialize'],
      ['POST /upload//append'],
      ['POST /upload//append'],
      ['POST /upload//append'],
      ['POST /upload//finalize'],
      status,
      status,
      status,
    ]);
    const [found] = x.network.media.all.values();
    expect([...found!.segments].map(([index, { length }]) => [index, length])).toEqual([
      [0, 4_194_304],
      [1, 4_194_304],
      [2, 611_392],
    ]);
    expect(found).toMatchObject({ category: 'tweet_video', altText: null });
    await x.commit(target);
    expect(x.network.listPosts()).toMatchObject([{ media: [file.sha256] }]);
  });

  test('waits as long as X says', async () => {
    await using x = await startTwitter();
    const target = await uploadedSoFar(x, x.target({ media: [createVideo()] }));
    const processing_info = { state: 'in_progress', check_after_secs: 7 };
    x.network.nextAnswer = Response.json({ data: { id: '1', processing_info } });
    expect(await x.twitter.prepare!(target, never)).toMatchObject({
      outcome: 'more',
      waitMs: 7_000,
    });
    x.network.nextAnswer = Response.json({
      data: { id: '1', processing_info: { state: 'pending' } },
    });
    expect(await x.twitter.prepare!(target, never)).toMatchObject({
      outcome: 'more',
      waitMs: 1_000,
    });
  });

  test("is refused with X's reason if it can't be processed", async () => {
    await using x = await startTwitter();
    const target = await uploadedSoFar(x, x.target({ media: [createVideo()] }));
    const processing_info = { state: 'failed', error: { message: 'Unsupported codec' } };
    x.network.nextAnswer = Response.json({ data: { id: '1', processing_info } });
    expect(await refusal(x.twitter.prepare!(target, never))).toMatchObject({
      kind: 'rejected',
      message: 'X could not process the video: Unsupported codec',
      options: { platformCode: 'processing_failed' },
    });
    x.network.media.processing = 'fails';
    expect(await refusal(x.prepare(x.target({ media: [createVideo()] })))).toMatchObject({
      kind: 'rejected',
      message: 'X could not process the video: X gave no reason.',
    });
  });
});

/** The target before its first look at the processing. */
async function uploadedSoFar(x: X, given: Target): Promise<Target> {
  let target = given;
  for (let i = 0; i < 3; i++) {
    const { state } = await x.twitter.prepare!(target, never);
    target = { ...target, state };
  }
  return target;
}

describe('a GIF', () => {
  test('has its own category, is processed, and is described', async () => {
    await using x = await startTwitter();
    const gif = await createImage({ contentType: 'image/gif' });
    const { calls } = await listSteps(x, x.target({ media: [gif] }));
    expect(calls.slice(2)).toEqual([
      ['POST /upload//finalize'],
      ['GET /upload'],
      ['POST /metadata'],
    ]);
    const [found] = x.network.media.all.values();
    expect(found).toMatchObject({ category: 'tweet_gif', altText: 'Noise' });
  });
});

describe('a lost answer', () => {
  test('is replaced by a request for the status at the end of an upload', async () => {
    await using x = await startTwitter();
    const target = await uploadedSoFarWithoutEnd(x, x.target({ media: [await createImage()] }));
    await x.twitter.prepare!(target, never);
    x.network.calls.length = 0;
    // The state of the step was lost.
    const step = await x.twitter.prepare!(target, never);
    expect(step).toMatchObject({ outcome: 'more', state: { uploads: [{ stage: 'ready' }] } });
    expect(x.network.calls.map((call) => call.split(' ')[0])).toEqual(['POST', 'GET']);
  });

  test('leaves a refusal as it is if the status shows no complete file', async () => {
    await using x = await startTwitter();
    const target = await uploadedSoFarWithoutEnd(x, x.target({ media: [await createImage()] }));
    x.network.nextAnswer = x.network.refuse('rejected');
    expect(await refusal(x.twitter.prepare!(target, never))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('You are not permitted'),
    });
  });

  test('leaves a refusal as it is if the status is refused too', async () => {
    await using x = await startTwitter();
    const target = await uploadedSoFarWithoutEnd(x, x.target({ media: [await createImage()] }));
    x.network.media.expireAll();
    expect(await refusal(x.twitter.prepare!(target, never))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'resource-not-found' },
    });
  });

  test('lets a segment be sent again, and the file arrives once', async () => {
    await using x = await startTwitter();
    const image = await createImage();
    const first = await x.twitter.prepare!(x.target({ media: [image] }), never);
    const target = x.target({ media: [image], state: first.state });
    await x.twitter.prepare!(target, never);
    await x.commit(await x.prepare(target));
    expect(x.network.listPosts()).toMatchObject([{ media: [image.sha256] }]);
  });
});

async function uploadedSoFarWithoutEnd(x: X, target: Target): Promise<Target> {
  const begun = await x.twitter.prepare!(target, never);
  const sent = await x.twitter.prepare!({ ...target, state: begun.state }, never);
  return { ...target, state: sent.state };
}

describe('uploads that have expired', () => {
  test('are stale at the commit, and are uploaded again', async () => {
    await using x = await startTwitter();
    const image = await createImage();
    x.network.media.lifeS = 61;
    const old = await x.prepare(x.target({ media: [image] }));
    x.network.media.lifeS = 59;
    const late = await x.twitter.prepare!(x.target({ media: [image] }), never);
    expect(await x.commit({ ...old, state: late.state })).toEqual({ outcome: 'stale' });
    x.network.media.lifeS = 86_400;
    const again = await x.prepare({ ...old, state: late.state });
    expect(await x.commit(again)).toMatchObject({ outcome: 'published' });
    expect(x.network.listPosts()).toMatchObject([{ media: [image.sha256] }]);
  });

  test('are begun again if they expire before their end', async () => {
    await using x = await startTwitter();
    x.network.media.lifeS = 59;
    const begun = await x.twitter.prepare!(x.target({ media: [await createImage()] }), never);
    x.network.calls.length = 0;
    await x.twitter.prepare!(x.target({ media: [await createImage()], state: begun.state }), never);
    expect(x.network.calls).toEqual(['POST /2/media/upload/initialize']);
  });

  test('count as expired if the state was lost', async () => {
    await using x = await startTwitter();
    const media = [await createImage()];
    expect(await x.commit(x.target({ media }))).toEqual({ outcome: 'stale' });
    expect(x.network.calls).toEqual([]);
  });
});

describe('media that X refuses', () => {
  test('fail with its words', async () => {
    await using x = await startTwitter();
    const target = await x.prepare(x.target({ media: [await createImage()] }));
    x.network.media.expireAll();
    expect(await refusal(x.commit(target))).toMatchObject({
      kind: 'rejected',
      message: 'X refused the request: invalid-request: Your media IDs are invalid.',
    });
  });

  test('fail at the end of their upload if bytes are missing', async () => {
    await using x = await startTwitter();
    const image = await createImage();
    const begun = await x.twitter.prepare!(x.target({ media: [image] }), never);
    const [upload] = begun.state['uploads'] as [object];
    const state = { uploads: [{ ...upload, sentBytes: image.bytes }] };
    x.network.intercept = ({ method }) =>
      method === 'GET' ? x.network.refuse('rejected') : undefined;
    expect(
      await refusal(x.twitter.prepare!(x.target({ media: [image], state }), never)),
    ).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('Segments do not add up'),
    });
  });
});

describe('the rules', () => {
  const mb = 1_048_576;
  const facts = (change: Partial<MediaFacts>): MediaFacts => ({
    kind: 'image',
    contentType: 'image/jpeg',
    bytes: 1_000,
    width: 100,
    height: 100,
    durationMs: null,
    altText: null,
    url: null,
    ...change,
  });
  const gif = (change: Partial<MediaFacts> = {}) => facts({ contentType: 'image/gif', ...change });
  const video = (change: Partial<MediaFacts> = {}) =>
    facts({ kind: 'video', contentType: 'video/mp4', durationMs: 1_000, ...change });
  const { media } = definition.rules;
  const check = (given: MediaFacts[], options: Record<string, unknown> = {}) =>
    checkMedia('X', media, given, {
      path: ['media'],
      pathOf: (at) => ['media', at],
      autoFit: false,
      options: { path: ['options'], given: options },
    }).errors.map(({ code }) => code);

  test.each([
    [[facts({ bytes: 5 * mb })], []],
    [[facts({ bytes: 5 * mb + 1 })], ['media_too_large']],
    [[gif({ bytes: 15 * mb })], []],
    [[gif({ bytes: 15 * mb + 1 })], ['media_too_large']],
    [[video({ bytes: 512 * mb })], []],
    [[video({ bytes: 512 * mb + 1 })], ['media_too_large']],
    [[1, 2, 3, 4].map(() => facts({})), []],
    [[1, 2, 3, 4, 5].map(() => facts({})), ['too_many_media']],
    [[gif(), gif()], ['media_mix_not_supported']],
    [[gif(), facts({})], ['media_mix_not_supported']],
    [[video(), video()], ['too_many_media']],
    [[video(), facts({})], ['media_mix_not_supported']],
    [[facts({ contentType: 'image/avif' })], ['media_type_not_supported']],
    [[video({ contentType: 'video/webm' })], ['media_type_not_supported']],
    [[video({ durationMs: 500 })], []],
    [[video({ durationMs: 499 })], ['media_too_short']],
    [[video({ durationMs: 140_000 })], []],
    [[video({ durationMs: 140_001 })], ['media_too_long']],
    [[video({ width: 31, height: 31 })], ['media_too_small']],
    [[video({ width: 301 })], ['media_ratio_not_supported']],
    [[video({ height: 300 })], []],
    [[facts({ altText: 'a'.repeat(1_000) })], []],
    [[facts({ altText: 'a'.repeat(1_001) })], ['alt_text_too_long']],
  ])('%#', (given, codes) => {
    expect(check(given)).toEqual(codes);
  });

  test('allow no poll with media', () => {
    const options = { poll: { options: ['a', 'b'], duration_minutes: 5 } };
    expect(check([facts({})], options)).toEqual(['not_with_media']);
    expect(check([], options)).toEqual([]);
  });

  test('fit an image into 5 MiB, and never a GIF', () => {
    expect(planFit(media.image!, facts({ bytes: 6 * mb }))).toMatchObject({ maxBytes: 5 * mb });
    expect(planFit(media.image!, gif({ bytes: 16 * mb }))).toBeNull();
  });
});
