// Images and videos of a post to Instagram, which fetches them.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { hostMedia, removeHosted } from '../../../support/media/hosted-media.ts';
import { createImage } from '../../../support/media/target-media.ts';
import {
  dayMs,
  hostJpeg,
  hostVideo,
  startInstagram,
} from '../../../support/networks/instagram/connected.ts';

test('a public URL is good for a day', async () => {
  await using network = await startInstagram();
  const asked: number[] = [];
  const url = network.image.publicUrl(0);
  const publicUrl = (forMs: number) => {
    asked.push(forMs);
    return url;
  };
  await network.publish(network.target({ media: [{ ...network.image, publicUrl }] }));
  expect(asked).toEqual([dayMs]);
});

describe('an image that Instagram refuses', () => {
  test('may be accepted later if it is missing', async () => {
    await using network = await startInstagram();
    const image = await hostJpeg();
    removeHosted(image.publicUrl(0));
    const error = await refusal(network.prepareStep(network.target({ media: [image] })));
    expect(error).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: '9004/2207052', failsAs: 'media_fetch_failed' },
    });
    // Instagram's own words are about the type.
    expect(error.message).toContain('Instagram could not fetch the media.');
  });

  test.each([
    ['a PNG', { contentType: 'image/png' }, '36001/2207005', 'media_invalid'],
    ['too wide', { width: 100, height: 48 }, '36003/2207009', 'media_invalid'],
    ['too tall', { width: 48, height: 70 }, '36003/2207009', 'media_invalid'],
  ])('is refused for good if it is %s', async (_, change, platformCode, failsAs) => {
    await using network = await startInstagram();
    const media = [await hostJpeg(change)];
    expect(await refusal(network.prepareStep(network.target({ media })))).toMatchObject({
      kind: 'rejected',
      options: { platformCode, failsAs },
    });
  });

  test('is refused for good if it is larger than 8 MiB', async () => {
    await using network = await startInstagram();
    const small = await createImage({ contentType: 'image/jpeg' });
    const bytes = Buffer.alloc(8_388_609);
    Buffer.from(await new Response(small.open()).arrayBuffer()).copy(bytes);
    const large = { ...small, bytes: bytes.length, open: () => new Blob([bytes]).stream() };
    const media = [await hostMedia(large)];
    expect(await refusal(network.prepareStep(network.target({ media })))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: '36000/2207004', failsAs: 'media_too_large' },
    });
  });
});

describe('a carousel', () => {
  test('continues with the items that it has', async () => {
    await using network = await startInstagram();
    const media = [await hostJpeg(), await hostJpeg()];
    const target = network.target({ media });
    const { state } = await network.prepareStep(target);
    removeHosted(media[1]!.publicUrl(0));
    expect(await refusal(network.prepareStep({ ...target, state }))).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: '9004/2207052' },
    });
    const again = [media[0]!, await hostJpeg()];
    await network.commit(await network.prepare({ ...target, media: again, state }));
    expect(network.server.containers).toHaveLength(3);
  });

  test('replaces only the item that failed', async () => {
    await using network = await startInstagram();
    network.server.failures.push(0, 2207076);
    const media = [await hostJpeg(), await hostVideo(), await hostJpeg()];
    await network.publish(network.target({ media }));
    expect(network.server.containers.map(({ kind }) => kind)).toEqual([
      'IMAGE',
      'VIDEO',
      'IMAGE',
      'VIDEO',
      'CAROUSEL',
    ]);
    const hashes = media.map(({ sha256 }) => sha256);
    expect(network.server.listPosts()[0]!.media).toEqual(hashes);
  });

  test('gets new items if Instagram no longer has its items', async () => {
    await using network = await startInstagram();
    let target = network.target({ media: [await hostJpeg(), await hostJpeg()] });
    for (let i = 0; i < 4; i++) {
      target = { ...target, state: (await network.prepareStep(target)).state };
    }
    expect(network.server.containers).toHaveLength(2);
    network.server.containers.length = 0;
    await network.commit(await network.prepare(target));
    expect(network.server.containers).toHaveLength(3);
  });
});

describe('a video', () => {
  test('is fetched again, three times at growing intervals, if its URL has no file', async () => {
    await using network = await startInstagram();
    const video = await hostVideo();
    removeHosted(video.publicUrl(0));
    const waits: number[] = [];
    async function prepare() {
      let target = network.target({ media: [video] });
      for (let outcome = 'more'; outcome === 'more';) {
        const step = await network.prepareStep(target);
        if (step.outcome === 'more' && step.waitMs > 0) waits.push(step.waitMs);
        target = { ...target, state: step.state };
        ({ outcome } = step);
      }
    }
    expect(await refusal(prepare())).toMatchObject({
      kind: 'rejected',
      message: 'Instagram could not fetch the video. (2207077)',
      options: { platformCode: '2207077', failsAs: 'media_fetch_failed' },
    });
    expect(waits).toEqual([2_000, 30_000, 300_000]);
    expect(network.server.containers).toHaveLength(4);
  });

  test.each([
    [2207026, 'Instagram does not support the format of the video. (2207026)'],
    [2207082, "Instagram can't read the video or its audio. (2207082)"],
    [2207999, 'Instagram could not process the media. (2207999)'],
  ])('says why it failed with %i', async (code, message) => {
    await using network = await startInstagram();
    network.server.failures.push(code);
    const media = [await hostVideo()];
    expect(await refusal(network.prepare(network.target({ media })))).toMatchObject({
      kind: 'rejected',
      message,
    });
    expect(network.server.containers).toHaveLength(1);
  });

  test('has a frame within its duration', async () => {
    await using network = await startInstagram();
    const media = [await hostVideo({ thumbnailAtMs: 60_001 })];
    const error = await refusal(network.prepareStep(network.target({ media })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '1/2207057' } });
    expect(error.message).toContain('thumbnail_at_ms');
  });

  test('is waited for, less and less often', async () => {
    await using network = await startInstagram();
    network.server.readsUntilFinished.REELS = 8;
    const waits: number[] = [];
    let target = network.target({ media: [await hostVideo()] });
    for (let outcome = 'more'; outcome === 'more';) {
      const step = await network.prepareStep(target);
      if (step.outcome === 'more') waits.push(step.waitMs);
      target = { ...target, state: step.state };
      ({ outcome } = step);
    }
    expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(network.server.containers).toHaveLength(1);
  });
});
