// What YouTube is sent for a post, and what it reports about the video.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage } from '../../../support/media/target-media.ts';
import {
  startYouTube,
  type ConnectedYouTube,
} from '../../../support/networks/youtube/connected.ts';

const never = new AbortController().signal;

/** The request that began the upload. */
async function readInsert({ server }: ConnectedYouTube) {
  const request = server.requests.find(({ method }) => method === 'POST')!;
  const { search } = new URL(request.url);
  const { headers } = request;
  return {
    query: Object.fromEntries(new URLSearchParams(search)),
    type: headers.get('x-upload-content-type'),
    length: headers.get('x-upload-content-length'),
    body: await request.json(),
  };
}

describe('the request for an upload', () => {
  test('has the title, the description and the defaults', async () => {
    await using network = await startYouTube();
    await network.prepare(network.target({ caption: 'A march.\n\n#brass' }));
    expect(await readInsert(network)).toEqual({
      query: { uploadType: 'resumable', part: 'snippet,status' },
      type: 'video/mp4',
      length: String(network.video.bytes),
      body: {
        snippet: { title: 'Brass', description: 'A march.\n\n#brass' },
        status: { privacyStatus: 'public', selfDeclaredMadeForKids: false },
      },
    });
  });

  test('has every option', async () => {
    await using network = await startYouTube();
    const platformOptions = {
      title: 'Tuba',
      made_for_kids: true,
      visibility: 'unlisted',
      tags: ['tuba', 'brass band'],
      category_id: '10',
      notify_subscribers: false,
      made_with_ai: true,
    };
    await network.prepare(network.target({ platformOptions }));
    expect(await readInsert(network)).toMatchObject({
      query: { notifySubscribers: 'false' },
      body: {
        snippet: { title: 'Tuba', tags: ['tuba', 'brass band'], categoryId: '10' },
        status: {
          privacyStatus: 'unlisted',
          selfDeclaredMadeForKids: true,
          containsSyntheticMedia: true,
        },
      },
    });
  });

  test('has texts without half surrogate pairs', async () => {
    await using network = await startYouTube();
    const platformOptions = { title: 'a\uD800', tags: ['b\uD800'] };
    await network.prepare(network.target({ caption: 'c\uD800', platformOptions }));
    expect(await readInsert(network)).toMatchObject({
      body: { snippet: { title: 'a\uFFFD', description: 'c\uFFFD', tags: ['b\uFFFD'] } },
    });
  });

  test('is not made without a video', async () => {
    await using network = await startYouTube();
    for (const media of [[], [await createImage()]]) {
      const error = await refusal(network.prepare(network.target({ media })));
      expect([error.kind, error.options.platformCode]).toEqual(['rejected', 'media_required']);
    }
    expect(network.server.calls).toEqual([]);
  });
});

describe('a video', () => {
  test('is published once YouTube has processed it', async () => {
    await using network = await startYouTube();
    network.server.readsUntilProcessed = 2;
    const prepared = await network.prepare(network.target());
    const accepted = await network.commit(prepared);
    expect(accepted.outcome).toBe('accepted');
    const [video] = network.server.videos;
    const state = 'state' in accepted ? accepted.state : {};
    const outcomes = [];
    for (let i = 0; i < 3; i++) {
      outcomes.push(await network.youtube.confirm!({ ...prepared, state }, never));
    }
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'published']);
    expect(outcomes[2]).toEqual({
      outcome: 'published',
      published: {
        externalId: video!.id,
        url: `https://www.youtube.com/watch?v=${video!.id}`,
        visibility: 'public',
      },
    });
    expect(video).toMatchObject({ sha256: network.video.sha256, bytes: network.video.bytes });
  });

  test('is published at once if YouTube has processed it already', async () => {
    await using network = await startYouTube();
    network.server.readsUntilProcessed = 0;
    expect(await network.publish(network.target())).toMatchObject({ outcome: 'published' });
    expect(network.server.calls).not.toContain('GET /youtube/v3/videos');
  });

  test.each(['public', 'unlisted', 'private'])('is %s if asked', async (visibility) => {
    await using network = await startYouTube();
    const outcome = await network.publish(network.target({ platformOptions: { visibility } }));
    expect(outcome).toMatchObject({ published: { visibility } });
    expect(outcome).not.toHaveProperty('published.detail');
  });

  test('that YouTube made private is reported as private, with the reason', async () => {
    await using network = await startYouTube();
    network.server.isForcedPrivate = true;
    expect(await network.publish(network.target())).toMatchObject({
      outcome: 'published',
      published: {
        visibility: 'private',
        detail: {
          asked_visibility: 'public',
          reason: expect.stringContaining('YouTube made the video private.'),
        },
      },
    });
  });

  test.each([
    ['rejected', 'duplicate', 'YouTube rejected the video: duplicate'],
    ['rejected', 'length', 'YouTube rejected the video: length'],
    ['failed', 'codec', 'YouTube could not process the video: codec'],
  ] as const)('that is %s fails with the reason %s', async (uploadStatus, reason, message) => {
    await using network = await startYouTube();
    network.server.ends.push({ uploadStatus, reason });
    const error = await refusal(network.publish(network.target()));
    expect(error.kind).toBe('rejected');
    expect(error.message).toBe(message);
    expect(error.options).toMatchObject({ platformCode: reason, providerError: { uploadStatus } });
  });

  test('stays accepted if YouTube refuses the question', async () => {
    await using network = await startYouTube();
    const prepared = await network.prepare(network.target());
    const accepted = await network.commit(prepared);
    const state = 'state' in accepted ? accepted.state : {};
    network.server.nextAnswer = network.server.refuse('rejected');
    const confirmed = network.youtube.confirm!({ ...prepared, state }, never);
    expect((await refusal(confirmed)).kind).toBe('unavailable');
  });

  test('that YouTube does not show yet is still accepted', async () => {
    await using network = await startYouTube();
    const prepared = await network.prepare(network.target());
    const accepted = await network.commit(prepared);
    const state = 'state' in accepted ? accepted.state : {};
    network.server.videos.length = 0;
    const outcome = await network.youtube.confirm!({ ...prepared, state }, never);
    expect(outcome).toEqual({ outcome: 'accepted', state });
  });
});
