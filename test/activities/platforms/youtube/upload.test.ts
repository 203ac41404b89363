// The upload of a video to YouTube in chunks: what each step sends, and how it continues after any loss.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { chunkBytes } from '../../../../activities/platforms/youtube/session.ts';
import { findFailure, Video } from '../../../../activities/platforms/youtube/video.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { forFile } from '../../../support/fixtures.ts';
import { createRandomFile, fileMedia } from '../../../support/media/target-media.ts';
import {
  startYouTube,
  type ConnectedYouTube,
} from '../../../support/networks/youtube/connected.ts';

const size = 2 * chunkBytes + 1_000;
const file = forFile(() => createRandomFile(size));
const never = new AbortController().signal;
const insert = 'POST /upload/youtube/v3/videos';
const put = 'PUT /upload/youtube/v3/videos';

const targetOf = (network: ConnectedYouTube, change: Partial<Target> = {}) =>
  network.target({ media: [fileMedia(file.path)], ...change });

/** The chunks that arrived, as `<start> taken` or `<start> refused`. */
const chunksOf = ({ server }: ConnectedYouTube) =>
  server.uploads.chunks.map(({ start, isTaken }) => `${start} ${isTaken ? 'taken' : 'refused'}`);
const [first, second, last] = [0, chunkBytes, 2 * chunkBytes].map((start) => `${start} taken`);

/** Takes the first steps of the prepare. Returns the target after them. */
async function takeSteps(network: ConnectedYouTube, count: number): Promise<Target> {
  let target = targetOf(network);
  for (let i = 0; i < count; i++) {
    target = { ...target, state: (await network.prepareStep(target)).state };
  }
  return target;
}

describe('an upload', () => {
  test('saves its URL first, then sends a chunk with each step, and the last one with the commit', async () => {
    await using network = await startYouTube();
    const { server } = network;
    const opened = await network.prepareStep(targetOf(network));
    expect(opened).toEqual({
      outcome: 'more',
      state: { url: expect.stringContaining('upload_id=') },
      waitMs: 0,
    });
    expect(chunksOf(network)).toEqual([]);

    const afterFirst = await network.prepareStep(targetOf(network, { state: opened.state }));
    expect(afterFirst).toEqual(opened);
    expect(chunksOf(network)).toEqual([first]);

    const prepared = await network.prepareStep(targetOf(network, { state: opened.state }));
    expect(prepared).toEqual({ outcome: 'prepared', state: opened.state });
    expect(chunksOf(network)).toEqual([first, second]);
    expect(server.videos).toEqual([]);

    const committed = await network.commit(targetOf(network, { state: opened.state }));
    expect(committed.outcome).toBe('accepted');
    expect(chunksOf(network)).toEqual([first, second, last]);
    expect(server.uploads.chunks.map(({ bytes }) => bytes)).toEqual([
      chunkBytes,
      chunkBytes,
      1_000,
    ]);
    expect(server.videos).toMatchObject([{ bytes: size, sha256: file.sha256 }]);
    // Each call but the first asks how much has arrived, then sends a chunk.
    expect(server.calls).toEqual([insert, ...Array<string>(6).fill(put)]);
  });

  test('of less than a chunk is sent by the commit', async () => {
    await using network = await startYouTube();
    const opened = await network.prepareStep(network.target());
    expect(opened.outcome).toBe('prepared');
    await network.commit(network.target({ state: opened.state }));
    expect(network.server.videos).toMatchObject([{ sha256: network.video.sha256 }]);
  });

  test('of exactly one chunk more leaves a whole chunk to the commit', async () => {
    await using network = await startYouTube();
    await using whole = await createRandomFile(2 * chunkBytes);
    const target = network.target({ media: [fileMedia(whole.path)] });
    await network.publish(target);
    expect(chunksOf(network)).toEqual([first, second]);
    expect(network.server.videos).toMatchObject([{ sha256: whole.sha256 }]);
  });

  test('sends no chunk again whose answer was lost', async () => {
    await using network = await startYouTube();
    const before = await takeSteps(network, 1);
    // The state of the step is lost with its answer.
    await network.prepareStep(before);
    await network.publish(before);
    expect(chunksOf(network)).toEqual([first, second, last]);
  });

  test('commits no second time if the answer to the commit was lost', async () => {
    await using network = await startYouTube();
    const prepared = await network.prepare(targetOf(network));
    await network.commit(prepared);
    expect(await network.commit(prepared)).toMatchObject({ outcome: 'accepted' });
    expect(chunksOf(network)).toEqual([first, second, last]);
    expect(network.server.videos).toHaveLength(1);
  });

  test('is refused at an address that is not one of Google', async () => {
    await using network = await startYouTube();
    network.server.nextAnswer = new Response(null, {
      headers: { location: 'https://googleapis.example.com/upload?upload_id=1' },
    });
    const error = await refusal(network.prepareStep(network.target()));
    expect(error.kind).toBe('rejected');
    expect(error.message).toContain('googleapis.example.com, which is not a host of YouTube');
  });

  test('begins again if YouTube names no address', async () => {
    await using network = await startYouTube();
    network.server.nextAnswer = new Response(null);
    expect((await refusal(network.prepareStep(network.target()))).kind).toBe('unavailable');
  });
});

test('a reason that is no word is not stored, since it could repeat a token', () => {
  const status = { uploadStatus: 'rejected', rejectionReason: 'ya29.secret-1' };
  const failure = findFailure(Video.parse({ id: 'video-1', status }))!;
  expect(JSON.stringify([failure.message, failure.options])).not.toContain('ya29');
});

test('a chunk that arrives late makes the next step ask again', async () => {
  await using network = await startYouTube();
  const target = await takeSteps(network, 1);
  const { uploads } = network.server;
  const session = [...uploads.sessions.values()][0]!;
  const held = session.held;
  // The answer to the question is older than the chunk that a dead worker had sent.
  session.held = chunkBytes;
  network.server.nextAnswer = new Response(null, { status: 308 });
  expect((await refusal(network.prepareStep(target))).kind).toBe('unavailable');
  session.held = held;
  expect(await network.publish(target)).toMatchObject({ outcome: 'published' });
});

test.each([
  [400, 'unavailable'],
  [403, 'rejected'],
  [503, 'unavailable'],
])('a chunk refused with %i is %s, and the upload continues from there', async (status, kind) => {
  let isRefused = true;
  await using network = await startYouTube({
    send: (url, init) =>
      isRefused && new Headers(init?.headers).get('content-range')?.startsWith('bytes 8')
        ? Promise.resolve(new Response(null, { status }))
        : fetch(url, init),
  });
  const begun = await takeSteps(network, 2);
  const error = await refusal(network.prepareStep(begun));
  expect(error.kind).toBe(kind);
  expect(JSON.stringify([error.message, error.options])).not.toContain('upload_id');
  isRefused = false;
  expect(await network.publish(begun)).toMatchObject({ outcome: 'published' });
  expect(chunksOf(network)).toEqual([first, second, last]);
  expect(network.server.videos).toMatchObject([{ sha256: file.sha256 }]);
});

test('an upload of which YouTube has kept less than a chunk continues where YouTube says', async () => {
  await using network = await startYouTube();
  const begun = await takeSteps(network, 1);
  const half = chunkBytes / 2;
  await fetch(String(begun.state['url']), {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${network.connection.credentials['access_token']}`,
      'content-range': `bytes 0-${half - 1}/${size}`,
      'content-type': 'video/mp4',
    },
    body: (await readFile(file.path)).subarray(0, half),
  });
  expect(await network.publish(begun)).toMatchObject({ outcome: 'published' });
  expect(chunksOf(network)[1]).toBe(`${half} taken`);
  expect(network.server.videos).toMatchObject([{ bytes: size, sha256: file.sha256 }]);
});

test.each([0, 1_000_000])(
  'an upload whose bytes have all arrived may be public before YouTube names its video: %i more',
  async (more) => {
    await using network = await startYouTube();
    const { server } = network;
    const prepared = await network.prepare(network.target());
    network.forgetCalls();
    const range = `bytes=0-${network.video.bytes - 1 + more}`;
    const answer = () => new Response(null, { status: 308, headers: { range } });
    server.nextAnswer = answer();
    expect((await refusal(network.commit(prepared))).kind).toBe('unknown_outcome');
    server.nextAnswer = answer();
    expect((await refusal(network.reconcile(prepared))).kind).toBe('unavailable');
    expect(server.calls).toEqual([put, put]);
  },
);

describe('an upload that YouTube has forgotten', () => {
  test.each([404, 410] as const)(
    'begins again after %i, once no video was found',
    async (status) => {
      await using network = await startYouTube();
      const { server } = network;
      const target = await takeSteps(network, 2);
      server.uploads.goneStatus = status;
      server.uploads.expireAll();
      network.forgetCalls();
      expect(await network.prepareStep(target)).toEqual({ outcome: 'more', state: {}, waitMs: 0 });
      expect(server.calls).toEqual([put, 'GET /youtube/v3/playlistItems']);
      expect(await network.publish({ ...target, state: {} })).toMatchObject({
        outcome: 'published',
      });
      expect(chunksOf(network)).toEqual([first, first, second, last]);
      expect(server.videos).toHaveLength(1);
    },
  );

  test('does not begin again if its video is there', async () => {
    await using network = await startYouTube();
    const { server } = network;
    const prepared = await network.prepare(targetOf(network));
    await network.commit(prepared);
    server.uploads.forgetAll();
    const step = await network.prepareStep(prepared);
    const [video] = server.videos;
    expect(step).toEqual({ outcome: 'prepared', state: { videoId: video!.id } });
    const outcome = await network.publish({ ...prepared, state: step.state });
    expect(outcome).toMatchObject({ published: { externalId: video!.id } });
    expect(server.videos).toHaveLength(1);
  });

  test('makes the commit stale, or the outcome known', async () => {
    await using network = await startYouTube();
    const { server } = network;
    const prepared = await network.prepare(targetOf(network));
    server.uploads.expireAll();
    expect(await network.commit(prepared)).toEqual({ outcome: 'stale' });

    const again = await network.prepare(targetOf(network));
    await network.commit(again);
    server.uploads.forgetAll();
    expect(await network.commit(again)).toMatchObject({
      outcome: 'published',
      published: { externalId: server.videos[0]!.id },
    });
    expect(server.videos).toHaveLength(1);
  });

  test('leaves the outcome unknown if the channel has uploaded too much since', async () => {
    await using network = await startYouTube();
    const { server } = network;
    const prepared = await network.prepare(targetOf(network));
    server.uploads.expireAll();
    for (let i = 0; i < 201; i++) server.addVideo(uploadedAs(`Other ${i}`));
    expect((await refusal(network.commit(prepared))).kind).toBe('unknown_outcome');
  });
});

const uploadedAs = (title: string) => ({
  metadata: { snippet: { title }, status: {} },
  notifySubscribers: true,
  bytes: 1,
  sha256: '',
});

test('a chunk is sent with the type of the video and the token', async () => {
  const sent: Request[] = [];
  await using network = await startYouTube({
    send: (url, init) => {
      sent.push(new Request(url, { ...init, body: null }));
      return fetch(url, init);
    },
  });
  await network.publish(network.target());
  const chunk = sent.filter(({ method }) => method === 'PUT').at(-1)!;
  const { access_token } = network.connection.credentials;
  expect(Object.fromEntries(chunk.headers)).toMatchObject({
    authorization: `Bearer ${access_token}`,
    'content-range': `bytes 0-${network.video.bytes - 1}/${network.video.bytes}`,
    'content-type': 'video/mp4',
  });
  await expect(network.youtube.prepare!(network.target(), never)).resolves.toBeDefined();
});
