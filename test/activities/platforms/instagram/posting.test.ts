// A post to Instagram: its container, its publish, and what a refusal of either means.
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import {
  dayMs,
  hostJpeg,
  hostVideo,
  startInstagram,
} from '../../../support/networks/instagram/connected.ts';

type Network = Awaited<ReturnType<typeof startInstagram>>;

/** A target whose container is finished. */
const prepared = (network: Network, change = {}) => network.prepare(network.target(change));

const listGiven = ({ server }: Network) =>
  server.containers.map(({ kind, given }) => ({ kind, ...given }));

/** Their own IDs differ from run to run. */
const listCalls = ({ server }: Network) =>
  server.calls.map((call) => call.replaceAll(/\/179\d{14}/g, '/ID'));

describe('an image', () => {
  test('is a container that is finished before it is published', async () => {
    await using network = await startInstagram();
    const outcome = await network.publish(network.target({ caption: 'Hello' }));
    const account = `graph.instagram.com/v25.0/${network.server.user.id}`;
    expect(listCalls(network)).toEqual([
      `GET ${account}/content_publishing_limit`,
      `POST ${account}/media`,
      'GET graph.instagram.com/v25.0/ID',
      `POST ${account}/media_publish`,
      'GET graph.instagram.com/v25.0/ID',
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

  test('saves its container before the next call', async () => {
    await using network = await startInstagram();
    const target = network.target();
    const step = await network.prepareStep(target);
    const [container] = network.server.containers;
    expect(step).toMatchObject({ outcome: 'more', state: { post: { id: container!.id } } });
    const next = await network.prepareStep({ ...target, state: step.state });
    expect(next.outcome).toBe('prepared');
    expect(network.server.containers).toHaveLength(1);
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
  test('is a reel if it is alone', async () => {
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

  test('is one call under the post', async () => {
    await using network = await startInstagram();
    const replyTo = network.server.addPost('Hello');
    const target = comment(network, replyTo);
    const outcome = await network.commit(target);
    expect(listCalls(network)).toEqual(['POST graph.instagram.com/v25.0/ID/comments']);
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

  test('needs no preparation', async () => {
    await using network = await startInstagram();
    const target = comment(network, network.server.addPost('Hello'));
    expect(await network.prepareStep(target)).toEqual({ outcome: 'prepared', state: {} });
    expect(network.server.calls).toEqual([]);
  });
});

describe('the quota', () => {
  test('stops a post before its container', async () => {
    await using network = await startInstagram();
    network.server.quota.used = 50;
    const error = await refusal(network.prepareStep(network.target()));
    expect(error).toMatchObject({
      kind: 'rate_limited',
      message: 'Instagram accepts 50 posts of an account in 24 hours, and all are used.',
      options: { isOutOfQuota: true },
    });
    expect(network.server.containers).toEqual([]);
  });

  test('is as large as Instagram says', async () => {
    await using network = await startInstagram();
    network.server.quota = { used: 99, total: 100 };
    expect(await network.publish(network.target())).toMatchObject({ outcome: 'published' });
    network.server.answers.push(Response.json({ data: [] }));
    expect((await network.prepareStep(network.target())).outcome).toBe('more');
  });

  test('stops the publish if it is used up after the preparation, and keeps the container', async () => {
    await using network = await startInstagram();
    const target = await prepared(network);
    network.server.quota.used = 50;
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'rate_limited',
      options: { isOutOfQuota: true },
    });
    network.server.quota.used = 49;
    expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
    expect(network.server.containers).toHaveLength(1);
  });
});

describe('a publish', () => {
  test('is not repeated if Instagram carries it out but reports a block', async () => {
    await using network = await startInstagram();
    network.server.publishFaults.push('lies');
    const target = await prepared(network);
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'unknown_outcome',
      options: { platformCode: '4/2207051' },
    });
    expect(await network.reconcile(target)).toMatchObject({
      outcome: 'published',
      published: { externalId: network.server.posts[0]!.id },
    });
    expect(network.server.posts).toHaveLength(1);
  });

  test('waits for an hour if Instagram blocks it', async () => {
    await using network = await startInstagram();
    network.server.publishFaults.push('blocks');
    const target = await prepared(network);
    const error = await refusal(network.commit(target));
    expect(error).toMatchObject({
      kind: 'rate_limited',
      options: { platformCode: '4/2207051', retryAfterMs: 3_600_000 },
    });
    expect(error.options.throttled).not.toBe('app');
    expect(error.message).toContain('Instagram blocks what the account does');
    expect(network.server.posts).toEqual([]);
    // An hour later, the container is read before it is published.
    const { state, ...rest } = target;
    const later = { ...rest, state: { ...state, finishedAt: Date.now() - 3_600_000 } };
    network.server.calls.length = 0;
    expect(await network.commit(later)).toMatchObject({ outcome: 'published' });
    expect(listCalls(network)[0]).toBe('GET graph.instagram.com/v25.0/ID');
  }, 15_000);

  test('makes no second post if the container is public', async () => {
    await using network = await startInstagram();
    const target = await prepared(network);
    await network.commit(target);
    expect(await refusal(network.commit(target))).toMatchObject({ kind: 'unknown_outcome' });
    expect(network.server.posts).toHaveLength(1);
  });

  test.each([
    ['waits', '9007/2207027'],
    ['loses', '24/2207008'],
  ] as const)(
    'is repeated with the same container after the fault %s',
    async (fault, platformCode) => {
      await using network = await startInstagram();
      network.server.publishFaults.push(fault);
      const target = await prepared(network);
      expect(await refusal(network.commit(target))).toMatchObject({
        kind: 'unavailable',
        options: { platformCode },
      });
      expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
      expect(network.server.containers).toHaveLength(1);
    },
  );

  test('needs a new container if its container has expired', async () => {
    await using network = await startInstagram();
    const target = await prepared(network);
    network.server.logins.pass(dayMs + 3_600_000);
    expect(await network.commit(target)).toEqual({ outcome: 'stale' });
    expect(network.server.posts).toEqual([]);
  });

  test('waits for its address, and is published without one', async () => {
    await using network = await startInstagram();
    network.server.lag.post = 1;
    expect(await network.publish(network.target())).toMatchObject({
      published: { url: expect.stringContaining('/p/') as string },
    });
    const target = await prepared(network);
    // A bare number, which JavaScript would round.
    const id = '17900000000000001';
    network.server.answers.push(
      new Response(`{"id":${id}}`),
      new Response('<html>', { status: 500 }),
    );
    expect(await network.commit(target)).toEqual({
      outcome: 'published',
      published: { externalId: id, url: null, visibility: null },
    });
  });
});
