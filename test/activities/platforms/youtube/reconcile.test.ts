// How a video is found at YouTube after the answer to its commit was lost.
import { describe, expect, test } from 'vitest';
import {
  startYouTube,
  type ConnectedYouTube,
} from '../../../support/networks/youtube/connected.ts';

const absent = { outcome: 'absent' };
const put = 'PUT /upload/youtube/v3/videos';
const list = ['GET /youtube/v3/playlistItems', 'GET /youtube/v3/videos'];

interface Other {
  title?: string;
  description?: string;
  bytes?: number;
  agoMs?: number;
  rejected?: true;
}

/** Adds a video that was uploaded elsewhere. */
function addOther(
  { server, video }: ConnectedYouTube,
  { title = 'Brass', description = 'Hello', bytes = video.bytes, agoMs = 0, rejected }: Other = {},
) {
  const metadata = { snippet: { title, description }, status: {} };
  const uploaded = { metadata, notifySubscribers: true, bytes, sha256: '' };
  return server.addVideo(uploaded, {
    publishedAtMs: Date.now() - agoMs,
    readsUntilProcessed: 0,
    ...(rejected && { end: { uploadStatus: 'rejected', reason: 'duplicate' } }),
  });
}

describe('by its upload', () => {
  test('a complete one names the video', async () => {
    await using network = await startYouTube();
    const prepared = await network.prepare(network.target());
    await network.commit(prepared);
    network.forgetCalls();
    expect(await network.reconcile(prepared)).toMatchObject({
      outcome: 'published',
      published: { externalId: network.server.videos[0]!.id, visibility: 'public' },
    });
    expect(network.server.calls).toEqual([put]);
  });

  test('one that is not complete has no video', async () => {
    await using network = await startYouTube();
    const prepared = await network.prepare(network.target());
    addOther(network);
    network.forgetCalls();
    expect(await network.reconcile(prepared)).toEqual(absent);
    expect(network.server.calls).toEqual([put]);
  });

  test('one that has ended is looked for in the list', async () => {
    await using network = await startYouTube();
    const prepared = await network.prepare(network.target());
    await network.commit(prepared);
    network.server.uploads.forgetAll();
    network.forgetCalls();
    expect(await network.reconcile(prepared)).toMatchObject({
      published: { externalId: network.server.videos[0]!.id },
    });
    expect(network.server.calls).toEqual([put, ...list]);
  });

  test('a video that YouTube rejected is absent, so that the next commit says why', async () => {
    await using network = await startYouTube();
    network.server.readsUntilProcessed = 0;
    network.server.ends.push({ uploadStatus: 'rejected', reason: 'duplicate' });
    const prepared = await network.prepare(network.target());
    await network.commit(prepared).catch(() => undefined);
    expect(await network.reconcile(prepared)).toEqual(absent);
    await expect(network.commit(prepared)).rejects.toThrow('YouTube rejected the video: duplicate');
  });
});

describe('by the list of uploads, after its state was lost', () => {
  test.each<[string, Other, boolean]>([
    ['with the same title, description and size', {}, true],
    ['with other whitespace', { title: ' Brass', description: 'Hello\n' }, true],
    ['with another title', { title: 'Brass 2' }, false],
    ['with another description', { description: 'Hello!' }, false],
    ['of another size', { bytes: 7 }, false],
    ['that is older than the target', { agoMs: 120_000 }, false],
    ['that YouTube rejected', { rejected: true }, false],
  ])('a video %s', async (_, other, isFound) => {
    await using network = await startYouTube();
    const { id } = addOther(network, other);
    const found = await network.reconcile(network.target());
    if (isFound) expect(found).toMatchObject({ published: { externalId: id } });
    else expect(found).toEqual(absent);
  });

  test('the size does not matter while YouTube has not read the file', async () => {
    await using network = await startYouTube();
    const { id } = addOther(network, { bytes: 7 });
    network.server.hasFileDetails = false;
    expect(await network.reconcile(network.target())).toMatchObject({
      published: { externalId: id },
    });
  });

  test('of two equal videos, the older one is the target', async () => {
    await using network = await startYouTube();
    const older = addOther(network, { agoMs: 30_000 });
    addOther(network);
    expect(await network.reconcile(network.target())).toMatchObject({
      published: { externalId: older.id },
    });
  });

  test('is read page by page, until the target was due', async () => {
    await using network = await startYouTube();
    addOther(network, { agoMs: 300_000 });
    const { id } = addOther(network, { agoMs: 40_000 });
    for (let i = 0; i < 60; i++) addOther(network, { title: `Other ${i}` });
    network.forgetCalls();
    expect(await network.reconcile(network.target())).toMatchObject({
      published: { externalId: id },
    });
    expect(network.server.calls).toEqual([...list, ...list]);
  });

  test('proves nothing if the channel has uploaded more than 200 videos since', async () => {
    await using network = await startYouTube();
    for (let i = 0; i < 201; i++) addOther(network, { title: `Other ${i}` });
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'unknown' });
  });

  test('is empty without uploads', async () => {
    await using network = await startYouTube();
    expect(await network.reconcile(network.target())).toEqual(absent);
    expect(network.server.calls).toEqual(['GET /youtube/v3/playlistItems']);
  });
});
