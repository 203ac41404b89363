// A post to Instagram: what its containers have, its comments, and refusals that only Instagram makes.
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { hostVideo } from '../../../support/media/hosted-media.ts';
import { hostJpeg, startInstagram } from '../../../support/networks/instagram/connected.ts';

type Network = Awaited<ReturnType<typeof startInstagram>>;

const listGiven = ({ server }: Network) =>
  server.containers.map(({ kind, given }) => ({ kind, ...given }));

/** Their own IDs differ from run to run. */
const listCalls = ({ server }: Network) =>
  server.calls.map((call) => call.replaceAll(/\/179\d{14}/g, '/ID'));

describe('an image', () => {
  test('is a container that is finished before it is published', async () => {
    await using network = await startInstagram();
    const outcome = await network.publish(network.target({ caption: 'Hello' }));
    const account = `/graph.instagram.com/v25.0/${network.server.user.id}`;
    expect(listCalls(network)).toEqual([
      `GET ${account}/content_publishing_limit`,
      `POST ${account}/media`,
      'GET /graph.instagram.com/v25.0/ID',
      `POST ${account}/media_publish`,
      'GET /graph.instagram.com/v25.0/ID',
    ]);
    const [post] = network.server.posts;
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: post!.id,
        url: expect.stringMatching(/^https:\/\/www\.instagram\.com\/p\//) as string,
        visibility: null,
      },
    });
    expect(network.server.listPosts()).toMatchObject([
      { text: 'Hello', media: [network.image.sha256] },
    ]);
  });

  test('goes out as it was written, with its options', async () => {
    await using network = await startInstagram();
    const caption = 'Tabs & spaces? 100% ää 😀\n#tabs @grace.hopper';
    const media = [await hostJpeg({ altText: 'Noise\ud83d' })];
    await network.publish(
      network.target({
        caption,
        media,
        platformOptions: {
          collaborators: ['grace.hopper', 'alan'],
          user_tags: [{ username: 'alan', x: 0.5, y: 1, media_index: 0 }],
          location_id: '110774245616525',
        },
      }),
    );
    expect(listGiven(network)).toEqual([
      {
        kind: 'IMAGE',
        image_url: media[0]!.publicUrl(0),
        caption,
        alt_text: 'Noise\ufffd',
        collaborators: ['grace.hopper', 'alan'],
        user_tags: [{ username: 'alan', x: 0.5, y: 1 }],
        location_id: '110774245616525',
      },
    ]);
  });
});

describe('a carousel', () => {
  test('has a container for each file, in their order, and one for all', async () => {
    await using network = await startInstagram();
    network.server.readsUntilFinished.IMAGE = 1;
    const media = [await hostJpeg(), await hostVideo({ altText: 'A film' }), await hostJpeg()];
    await network.publish(
      network.target({
        caption: 'Three',
        media,
        platformOptions: {
          collaborators: ['alan'],
          user_tags: [
            { username: 'alan', media_index: 1 },
            { username: 'grace', x: 0, y: 0, media_index: 2 },
          ],
        },
      }),
    );
    const [first, second, third] = network.server.containers;
    expect(listGiven(network)).toEqual([
      {
        kind: 'IMAGE',
        image_url: media[0]!.publicUrl(0),
        is_carousel_item: true,
        alt_text: 'Noise',
      },
      {
        kind: 'VIDEO',
        media_type: 'VIDEO',
        video_url: media[1]!.publicUrl(0),
        is_carousel_item: true,
        user_tags: [{ username: 'alan' }],
      },
      {
        kind: 'IMAGE',
        image_url: media[2]!.publicUrl(0),
        is_carousel_item: true,
        alt_text: 'Noise',
        user_tags: [{ username: 'grace', x: 0, y: 0 }],
      },
      {
        kind: 'CAROUSEL',
        media_type: 'CAROUSEL',
        children: [first!.id, second!.id, third!.id],
        caption: 'Three',
        collaborators: ['alan'],
      },
    ]);
    const hashes = media.map(({ sha256 }) => sha256);
    expect(network.server.listPosts()[0]).toMatchObject({ text: 'Three', media: hashes });
  });
});

describe('a video', () => {
  test('is a reel if it is the only file', async () => {
    await using network = await startInstagram();
    const video = await hostVideo({ altText: 'A film', thumbnailAtMs: 1_500 });
    const outcome = await network.publish(
      network.target({
        media: [video],
        platformOptions: { share_to_feed: false, audio_name: 'Fanfare' },
      }),
    );
    expect(listGiven(network)).toEqual([
      {
        kind: 'REELS',
        media_type: 'REELS',
        video_url: video.publicUrl(0),
        caption: 'Hello',
        share_to_feed: false,
        thumb_offset: 1_500,
        audio_name: 'Fanfare',
      },
    ]);
    expect(outcome).toMatchObject({
      published: { url: expect.stringContaining('/reel/') as string },
    });
  });

  test('has a cover instead of a frame', async () => {
    await using network = await startInstagram();
    const thumbnail = await hostJpeg();
    const media = [await hostVideo({ thumbnail, thumbnailAtMs: 1 })];
    await network.publish(network.target({ media }));
    const [given] = listGiven(network);
    expect(given).toMatchObject({ cover_url: thumbnail.publicUrl(0) });
    expect(given).not.toHaveProperty('thumb_offset');
  });

  test('accepts only a JPEG as its cover', async () => {
    await using network = await startInstagram();
    const thumbnail = await hostJpeg({ contentType: 'image/png' });
    const media = [await hostVideo({ thumbnail })];
    const error = await refusal(network.prepareStep(network.target({ media })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('JPEG') as string,
    });
  });
});

describe('a story', () => {
  test.each(['image', 'video'] as const)('is one %s, without a caption', async (kind) => {
    await using network = await startInstagram();
    // A story may have any ratio.
    const file = kind === 'image' ? await hostJpeg({ width: 36, height: 64 }) : await hostVideo();
    const platformOptions = { placement: 'story', user_tags: [{ username: 'alan' }] };
    await network.publish(network.target({ media: [file], platformOptions }));
    expect(listGiven(network)).toEqual([
      {
        kind: 'STORIES',
        media_type: 'STORIES',
        [`${kind}_url`]: file.publicUrl(0),
        user_tags: [{ username: 'alan' }],
      },
    ]);
  });
});

describe('a comment', () => {
  const comment = (network: Network, replyTo: string, change: Partial<Target> = {}) =>
    network.target({ caption: 'First!', media: [], replyTo, ...change });

  test('is created with one call, under its post', async () => {
    await using network = await startInstagram();
    const replyTo = network.server.addPost('Hello');
    const target = comment(network, replyTo);
    const outcome = await network.commit(target);
    expect(listCalls(network)).toEqual(['POST /graph.instagram.com/v25.0/ID/comments']);
    const [made] = network.server.comments;
    expect(made).toMatchObject({ mediaId: replyTo, text: 'First!' });
    expect(outcome).toEqual({
      outcome: 'published',
      published: { externalId: made!.id, url: null, visibility: null },
    });
  });

  test('waits until Instagram knows the post', async () => {
    await using network = await startInstagram();
    network.server.lag.post = 1;
    const target = comment(network, network.server.addPost('Hello'));
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: '100/33' },
    });
    expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
  });

  test('is not prepared', async () => {
    await using network = await startInstagram();
    const target = comment(network, network.server.addPost('Hello'));
    expect(await network.prepareStep(target)).toEqual({ outcome: 'prepared', state: {} });
    expect(network.server.calls).toEqual([]);
  });
});

test('the quota has the size that Instagram reports', async () => {
  await using network = await startInstagram();
  network.server.quota = { used: 99, total: 100 };
  expect(await network.publish(network.target())).toMatchObject({ outcome: 'published' });
  network.server.answers.push(Response.json({ data: [] }));
  expect((await network.prepareStep(network.target())).outcome).toBe('prepared');
});

describe('a publish', () => {
  test('waits for an hour if Instagram blocks it', async () => {
    await using network = await startInstagram();
    network.server.publishFaults.push('blocks');
    const target = await network.prepare(network.target());
    const error = await refusal(network.commit(target));
    expect(error).toMatchObject({
      kind: 'rate_limited',
      options: { platformCode: '4/2207051', retryAfterMs: 3_600_000 },
    });
    expect(error.options.throttled).not.toBe('app');
    expect(error.message).toContain('Instagram blocks this action');
    expect(network.server.posts).toEqual([]);
    // An hour later, the container is read before it is published.
    const { state, ...rest } = target;
    const later = { ...rest, state: { ...state, finishedAt: Date.now() - 3_600_000 } };
    network.server.calls.length = 0;
    expect(await network.commit(later)).toMatchObject({ outcome: 'published' });
    expect(listCalls(network)[0]).toBe('GET /graph.instagram.com/v25.0/ID');
  });

  test('is repeated with the same container if it comes too early', async () => {
    await using network = await startInstagram();
    network.server.publishFaults.push('waits');
    const target = await network.prepare(network.target());
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: '9007/2207027' },
    });
    expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
    expect(network.server.containers).toHaveLength(1);
  });
});
