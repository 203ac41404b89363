// Images and videos of a post at LinkedIn, step by step.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startLinkedIn, pageUrn } from '../../../support/networks/linkedin/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

const never = new AbortController().signal;
type Network = Awaited<ReturnType<typeof startLinkedIn>>;

/** The states of all steps, the first one before any. */
async function listSteps({ linkedin }: Network, target: Target) {
  const steps: { state: Record<string, unknown>; waitMs?: number }[] = [{ state: {} }];
  for (;;) {
    const step = await linkedin.prepare!({ ...target, state: steps.at(-1)!.state }, never);
    steps.push(step);
    if (step.outcome === 'prepared') return steps;
  }
}

describe('images', () => {
  test('are the media of the post, with an alt text, if there is one image', async () => {
    await using network = await startLinkedIn();
    const image = await createImage({ altText: 'A (b)\ud83d' });
    await network.publish(network.target({ media: [image] }));
    expect(network.server.calls).toEqual([
      'POST /rest/images?initializeUpload',
      expect.stringMatching(/^PUT \/dms-uploads\//),
      'POST /rest/posts',
    ]);
    const [post] = network.server.listPosts();
    expect(post!.media).toEqual([image.sha256]);
    expect(network.server.posts[0]!.given.content).toEqual({
      media: { id: network.server.uploads[0]!.urn, altText: 'A (b)\ufffd' },
    });
  });

  test('are a post of several images, in their order, if there are twenty', async () => {
    await using network = await startLinkedIn();
    const media = await Promise.all(
      Array.from({ length: 20 }, (_, i) => createImage({ altText: i === 0 ? null : `No. ${i}` })),
    );
    await network.publish(network.target({ media }));
    expect(network.server.listPosts()[0]!.media).toEqual(media.map(({ sha256 }) => sha256));
    const images = network.server.uploads.map(({ urn: id }, i) =>
      i === 0 ? { id } : { id, altText: `No. ${i}` },
    );
    expect(network.server.posts[0]!.given.content).toEqual({ multiImage: { images } });
  });

  test('belong to the author of the post', async () => {
    await using network = await startLinkedIn();
    const media = [await createImage()];
    await network.prepare(network.memberTarget({ media }));
    await network.prepare(network.target({ media }));
    const owners = network.server.uploads.map(({ owner }) => owner);
    expect(owners).toEqual(['urn:li:person:782bbtaQ', pageUrn]);
  });

  test('can be the picture of a link', async () => {
    await using network = await startLinkedIn();
    const platformOptions = { link: { url: 'https://example.com/a', title: 'A' } };
    await network.publish(network.target({ media: [await createImage()], platformOptions }));
    expect(network.server.posts[0]!.given.content).toEqual({
      article: {
        source: 'https://example.com/a',
        title: 'A',
        thumbnail: network.server.uploads[0]!.urn,
      },
    });
  });

  test('that earlier steps uploaded are not uploaded again', async () => {
    await using network = await startLinkedIn();
    const media = [await createImage(), await createImage()];
    const steps = await listSteps(network, network.target({ media }));
    expect(steps).toHaveLength(3);
    expect(network.server.uploads).toHaveLength(2);
  });
});

describe('an upload address', () => {
  const image = 'urn:li:image:1';
  const video = 'urn:li:video:1';

  /** Prepares a medium for which LinkedIn names this address. Returns the requests that went there. */
  async function prepareAt(uploadUrl: string, kind: 'image' | 'video') {
    const requests: { url: string; init: RequestInit | undefined }[] = [];
    const send = async (url: string, init?: RequestInit) => {
      if (url !== uploadUrl) return fetch(url, init);
      requests.push({ url, init });
      return new Response('', { status: 201, headers: { etag: 'part-1' } });
    };
    await using network = await startLinkedIn({ send });
    const uploadInstructions = [{ uploadUrl, firstByte: 0, lastByte: 9 }];
    const uploadUrlsExpireAt = Date.now() + 86_400_000;
    const value =
      kind === 'image'
        ? { uploadUrl, image }
        : { video, uploadToken: '', uploadInstructions, uploadUrlsExpireAt };
    network.server.answers.push(Response.json({ value }));
    const media = [kind === 'image' ? await createImage() : createVideo()];
    const target = network.target({ media });
    const prepare = (state = {}) => network.linkedin.prepare!({ ...target, state }, never);
    const prepared = kind === 'image' ? prepare() : prepare().then(({ state }) => prepare(state));
    const error = await prepared.then(
      () => undefined,
      (thrown: PlatformError) => thrown,
    );
    return { error, requests };
  }

  test.each(['image', 'video'] as const)(
    'gets the %s if it is an address of LinkedIn',
    async (kind) => {
      const { error, requests } = await prepareAt('https://www.linkedin.com/dms-uploads/1', kind);
      expect([error, requests.length]).toEqual([undefined, 1]);
    },
  );

  test.each([
    ['image', 'https://uploads.example/dms-uploads/1'],
    ['video', 'https://uploads.example/dms-uploads/1'],
    ['image', 'https://evil-linkedin.com/1'],
    ['image', 'https://www.linkedin.com.example/1'],
    ['image', 'http://www.linkedin.com/1'],
    ['image', 'https://www.linkedin.com@uploads.example/1'],
  ] as const)('gets neither the %s nor the token if it is foreign: %s', async (kind, url) => {
    const { error, requests } = await prepareAt(url, kind);
    expect(requests).toEqual([]);
    expect(error).toMatchObject({
      kind: 'rejected',
      message: `LinkedIn gave an upload address at ${new URL(url).host}, which is not a host of LinkedIn.`,
    });
  });
});

describe('a video', () => {
  test('goes up in parts, one in a step, and is polled until it is processed', async () => {
    await using network = await startLinkedIn();
    network.server.partBytes = 400;
    network.server.readsUntilProcessed = 2;
    const video = createVideo();
    const steps = await listSteps(network, network.target({ media: [video] }));
    const parts = Math.ceil(video.bytes / 400);
    expect(parts).toBe(3);
    expect(network.server.calls).toEqual([
      'POST /rest/videos?initializeUpload',
      ...Array<unknown>(parts).fill(expect.stringMatching(/^PUT \/dms-uploads\//)),
      'POST /rest/videos?finalizeUpload',
      ...Array<unknown>(3).fill(expect.stringMatching(/^GET \/rest\/videos\/urn%3Ali%3Avideo/)),
    ]);
    const waits = steps.flatMap(({ waitMs }) => waitMs ?? []);
    expect(waits).toEqual([0, 0, 0, 0, 2_000, 2_000, 2_000]);
    const { urn, parts: sent } = network.server.uploads[0]!;
    expect(steps.at(-1)!.state).toEqual({ urns: [urn] });
    const bytes = Buffer.concat(sent.map((part) => part!));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(video.sha256);
  });

  test('is the media of the post, without an alt text', async () => {
    await using network = await startLinkedIn();
    const media = [createVideo({ altText: 'A film' })];
    await network.publish(network.target({ media }));
    const { urn } = network.server.uploads[0]!;
    expect(network.server.posts[0]!.given.content).toEqual({ media: { id: urn } });
  });

  test("is refused with LinkedIn's reason if it can't be processed", async () => {
    await using network = await startLinkedIn();
    network.server.failsProcessing = true;
    const error = await refusal(network.prepare(network.target({ media: [createVideo()] })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: 'LinkedIn could not process the video: The codec is unknown.',
    });
  });

  test('begins again if the addresses of its parts end before it is uploaded', async () => {
    await using network = await startLinkedIn();
    network.server.partBytes = 600;
    const target = network.target({ media: [createVideo()] });
    network.server.urlsLastMs = 30_000;
    const begun = await network.linkedin.prepare!(target, never);
    const again = await network.linkedin.prepare!({ ...target, state: begun.state }, never);
    expect(again).toMatchObject({ outcome: 'more', state: { urns: [] } });
    network.server.urlsLastMs = 600_000;
    expect(await network.publish({ ...target, state: again.state })).toMatchObject({
      outcome: 'published',
    });
    expect(network.server.uploads).toHaveLength(2);
  });

  test('keeps the login if one of its parts is refused, and the error shows no address', async () => {
    await using network = await startLinkedIn();
    const target = network.target({ media: [createVideo()] });
    const { state } = await network.linkedin.prepare!(target, never);
    const { ticket } = network.server.uploads[0]!;
    network.server.answers.push(new Response(`No ${ticket}`, { status: 403 }));
    const error = await refusal(network.linkedin.prepare!({ ...target, state }, never));
    expect(error).toMatchObject({ kind: 'unavailable' });
    expect(JSON.stringify([error.message, error.options])).not.toContain(ticket);
  });

  test('sends a part again if LinkedIn returned no ID for the part', async () => {
    await using network = await startLinkedIn();
    const target = network.target({ media: [createVideo()] });
    const { state } = await network.linkedin.prepare!(target, never);
    network.server.answers.push(new Response('', { status: 200 }));
    const error = await refusal(network.linkedin.prepare!({ ...target, state }, never));
    expect(error).toMatchObject({ kind: 'unavailable' });
    expect(await network.publish({ ...target, state })).toMatchObject({ outcome: 'published' });
  });

  test('is uploaded again if LinkedIn no longer has it', async () => {
    await using network = await startLinkedIn();
    const target = network.target({ media: [createVideo()] });
    const state = await network.prepare(target);
    network.server.uploads[0]!.isFinal = false;
    expect(await network.commit({ ...target, state })).toEqual({ outcome: 'stale' });
    expect(network.server.posts).toEqual([]);
  });

  test('holds the post while LinkedIn processes it', async () => {
    await using network = await startLinkedIn();
    const target = network.target({ media: [createVideo()] });
    const state = await network.prepare(target);
    network.server.uploads[0]!.readsLeft = 1;
    expect(await refusal(network.commit({ ...target, state }))).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: 'MEDIA_ASSET_PROCESSING' },
    });
  });
});
