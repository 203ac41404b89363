// Images and videos of a post to Threads, which fetches them.
import { describe, expect, test } from 'vitest';
import type { Target, TargetMedia } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { hostMedia, removeHosted } from '../../../support/media/hosted-media.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

type Network = Awaited<ReturnType<typeof startThreads>>;

const hostImage = async (change: Partial<TargetMedia> = {}) => hostMedia(await createImage(change));
const hostVideo = (change: Partial<TargetMedia> = {}) => hostMedia(createVideo(change));

async function publish(network: Network, change: Partial<Target>) {
  return network.commit(await network.prepare(network.target(change)));
}

const listGiven = ({ server }: Network) => server.containers.map(({ given }) => given);

describe('one file', () => {
  test('is fetched at its public URL, which is good for a day', async () => {
    await using network = await startThreads();
    const asked: number[] = [];
    const image = await hostImage({ altText: 'Noise\ud83d' });
    const url = image.publicUrl(0);
    const publicUrl = (forMs: number) => {
      asked.push(forMs);
      return url;
    };
    await publish(network, { caption: 'Look', media: [{ ...image, publicUrl }] });
    expect(asked).toEqual([24 * 3_600_000]);
    expect(listGiven(network)).toEqual([
      { media_type: 'IMAGE', image_url: url, alt_text: 'Noise\ufffd', text: 'Look' },
    ]);
    expect(network.server.listPosts()[0]!.media).toEqual([image.sha256]);
  });

  test('can be a video, and needs no text', async () => {
    await using network = await startThreads();
    const video = await hostVideo();
    await publish(network, { caption: '', media: [video] });
    expect(listGiven(network)).toEqual([{ media_type: 'VIDEO', video_url: video.publicUrl(0) }]);
    expect(network.server.listPosts()[0]!.media).toEqual([video.sha256]);
  });
});

describe('a carousel', () => {
  test('has a container for each file, in their order, and one for all', async () => {
    await using network = await startThreads();
    network.server.readsUntilFinished.IMAGE = 1;
    const media = [await hostImage(), await hostVideo({ altText: 'A film' }), await hostImage()];
    const replyTo = network.server.addPost('Hello');
    await publish(network, { caption: 'Three', media, replyTo });
    const [first, second, third] = network.server.containers;
    expect(listGiven(network)).toMatchObject([
      { media_type: 'IMAGE', is_carousel_item: true, alt_text: 'Noise' },
      { media_type: 'VIDEO', is_carousel_item: true, alt_text: 'A film' },
      { media_type: 'IMAGE', is_carousel_item: true },
      {
        media_type: 'CAROUSEL',
        children: [first!.id, second!.id, third!.id],
        text: 'Three',
        reply_to_id: replyTo,
      },
    ]);
    expect(network.server.listPosts()[1]).toMatchObject({
      text: 'Three',
      media: media.map(({ sha256 }) => sha256),
    });
  });

  test('continues with the items that it has', async () => {
    await using network = await startThreads();
    const media = [await hostImage(), await hostImage()];
    const target = network.target({ media });
    const { state } = await network.prepareStep(target);
    removeHosted(media[1]!.publicUrl(0));
    const error = await refusal(network.prepareStep({ ...target, state }));
    expect(error).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: '1/2207052', failsAs: 'media_fetch_failed' },
    });
    const again = [media[0]!, await hostImage()];
    await network.commit(await network.prepare({ ...target, media: again, state }));
    expect(network.server.containers).toHaveLength(3);
  });

  test('replaces only the item that failed', async () => {
    await using network = await startThreads();
    network.server.failures.push('UNKNOWN');
    const media = [await hostImage(), await hostVideo()];
    await publish(network, { media });
    expect(listGiven(network).map(({ media_type }) => media_type)).toEqual([
      'IMAGE',
      'VIDEO',
      'IMAGE',
      'CAROUSEL',
    ]);
    const hashes = media.map(({ sha256 }) => sha256);
    expect(network.server.listPosts()[0]!.media).toEqual(hashes);
  });

  test('gets new items if Threads no longer has its items', async () => {
    await using network = await startThreads();
    const media = [await hostImage(), await hostImage()];
    let target = network.target({ media });
    for (let i = 0; i < 4; i++) {
      target = { ...target, state: (await network.prepareStep(target)).state };
    }
    expect(network.server.containers).toHaveLength(2);
    network.server.containers.length = 0;
    await network.commit(await network.prepare(target));
    expect(network.server.containers).toHaveLength(3);
  });
});

describe('a file that Threads refuses', () => {
  test('may be accepted later if it is missing', async () => {
    await using network = await startThreads();
    const image = await hostImage();
    removeHosted(image.publicUrl(0));
    const error = await refusal(network.prepare(network.target({ media: [image] })));
    expect(error).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: '1/2207052', failsAs: 'media_fetch_failed' },
    });
    expect(error.message).toContain('Threads could not fetch the media.');
  });

  test('is refused for good if it is no image', async () => {
    await using network = await startThreads();
    const video = await hostVideo();
    const wrong = await hostMedia({ ...(await createImage()), open: video.open });
    const error = await refusal(network.prepare(network.target({ media: [wrong] })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '1/2207005' } });
  });

  test.each([
    ['FAILED_PROCESSING_VIDEO', "Threads can't read the video. (FAILED_PROCESSING_VIDEO)"],
    ['INVALID_ASPEC_RATIO', 'The video is too wide or too tall. (INVALID_ASPEC_RATIO)'],
    ['FAILED_FRAME_RATE', 'The video must have 23 to 60 frames per second. (FAILED_FRAME_RATE)'],
    ['INVALID_SOMETHING', 'Threads could not process the media. (INVALID_SOMETHING)'],
  ])('is refused with the reason in its status: %s', async (reason, message) => {
    await using network = await startThreads();
    network.server.failures.push(reason);
    const error = await refusal(network.prepare(network.target({ media: [await hostVideo()] })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message,
      options: { platformCode: reason },
    });
  });

  test('is fetched again, three times, if it is a video that Threads could not fetch', async () => {
    await using network = await startThreads();
    const video = await hostVideo();
    removeHosted(video.publicUrl(0));
    const error = await refusal(network.prepare(network.target({ media: [video] })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: 'Threads could not fetch the video. (FAILED_DOWNLOADING_VIDEO)',
      options: { failsAs: 'media_fetch_failed' },
    });
    expect(network.server.containers).toHaveLength(4);
  });
});
