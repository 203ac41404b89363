// The steps after the publication of a video: its thumbnail, and its place in a playlist.
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage } from '../../../support/media/target-media.ts';
import {
  startYouTube,
  withAllScopes,
  type ConnectedYouTube,
} from '../../../support/networks/youtube/connected.ts';

const never = new AbortController().signal;
const start = () => startYouTube({ variables: withAllScopes });
const image = await createImage({ contentType: 'image/jpeg' });
const playlist_id = 'PLmarches';

/** Publishes a video. Returns the target of its steps. */
async function publishVideo(network: ConnectedYouTube): Promise<Target> {
  const media = [{ ...network.video, thumbnail: image }];
  const platformOptions = { playlist_id };
  const target = network.target({ media, platformOptions });
  const { published } = (await network.publish(target)) as { published: { externalId: string } };
  network.forgetCalls();
  return { ...target, replyTo: published.externalId };
}

const stepOf = ({ youtube }: ConnectedYouTube, name: string) => youtube.steps![name]!;

describe('the thumbnail', () => {
  test('is sent as it is, and can be sent again', async () => {
    await using network = await startYouTube();
    const target = await publishVideo(network);
    for (let i = 0; i < 2; i++) await stepOf(network, 'thumbnail').run(target, never);
    expect(network.server.calls).toEqual(Array(2).fill('POST /upload/youtube/v3/thumbnails/set'));
    expect(network.server.videos).toMatchObject([{ id: target.replyTo, thumbnail: image.sha256 }]);
    expect(stepOf(network, 'thumbnail').isDone).toBeUndefined();
  });

  test('of a channel that is not verified is refused with advice', async () => {
    await using network = await startYouTube();
    const target = await publishVideo(network);
    network.server.steps.isVerified = false;
    const error = await refusal(stepOf(network, 'thumbnail').run(target, never));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'forbidden', failsAs: 'account_restricted' },
    });
    expect(error.message).toContain('verified phone number');
  });

  test('waits when the channel has set too many, without a pause of its posts', async () => {
    await using network = await startYouTube();
    const target = await publishVideo(network);
    network.server.steps.thumbnailQuota = 0;
    const error = await refusal(stepOf(network, 'thumbnail').run(target, never));
    expect(error).toMatchObject({ kind: 'rate_limited', options: { isOutOfQuota: true } });
  });

  test.each([
    { name: 'of another type', change: { contentType: 'image/webp' }, code: 'unsupported_type' },
    { name: 'above 50 MiB', change: { bytes: 52_428_801 }, code: 'too_large' },
    { name: 'that YouTube can not read', change: null, code: 'invalidImage' },
    { name: 'that is absent', change: undefined, code: 'thumbnail_required' },
  ])('$name is refused', async ({ change, code }) => {
    await using network = await startYouTube();
    const target = await publishVideo(network);
    const broken = { ...network.video, contentType: 'image/png' };
    const thumbnail = change ? { ...image, ...change } : change === null ? broken : null;
    const media = [{ ...network.video, thumbnail }];
    const error = await refusal(stepOf(network, 'thumbnail').run({ ...target, media }, never));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: code } });
  });

  test('of a deleted video is refused', async () => {
    await using network = await startYouTube();
    const target = await publishVideo(network);
    network.server.videos.length = 0;
    const error = await refusal(stepOf(network, 'thumbnail').run(target, never));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'videoNotFound' } });
  });
});

describe('the playlist', () => {
  test('gets the video, which is then found in it', async () => {
    await using network = await start();
    const target = await publishVideo(network);
    const step = stepOf(network, 'playlist');
    expect(await step.isDone!(target, never)).toBe(false);
    await step.run(target, never);
    expect(network.server.steps.playlists.get(playlist_id)).toEqual([target.replyTo]);
    expect(await step.isDone!(target, never)).toBe(true);
    const other = await publishVideo(network);
    expect(await step.isDone!(other, never)).toBe(false);
  });

  test('needs a scope that a login may lack', async () => {
    await using network = await startYouTube();
    const target = await publishVideo(network);
    const error = await refusal(stepOf(network, 'playlist').run(target, never));
    expect(error).toMatchObject({ kind: 'rejected', options: { failsAs: 'permission_missing' } });
  });

  test('that is unknown or full is refused', async () => {
    await using network = await start();
    const target = await publishVideo(network);
    const { playlists } = network.server.steps;
    playlists.set(playlist_id, Array<string>(5_000).fill('other'));
    const run = () => refusal(stepOf(network, 'playlist').run(target, never));
    expect((await run()).options.platformCode).toBe('playlistContainsMaximumNumberOfVideos');
    playlists.clear();
    expect(await run()).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'playlistNotFound' },
    });
  });
});
