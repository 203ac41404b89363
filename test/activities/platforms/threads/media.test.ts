// Images and videos of a post to Threads, which fetches them.
import { describe, expect, test } from 'vitest';
import type { TargetMedia } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { hostMedia, hostVideo } from '../../../support/media/hosted-media.ts';
import { createImage } from '../../../support/media/target-media.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

type Network = Awaited<ReturnType<typeof startThreads>>;

const hostImage = async (change: Partial<TargetMedia> = {}) => hostMedia(await createImage(change));

const listGiven = ({ server }: Network) => server.containers.map(({ given }) => given);

describe('one file', () => {
  test('has its text and its alt text', async () => {
    await using network = await startThreads();
    const image = await hostImage({ altText: 'Noise\ud83d' });
    await network.publish(network.target({ caption: 'Look', media: [image] }));
    expect(listGiven(network)).toEqual([
      {
        media_type: 'IMAGE',
        image_url: image.publicUrl(0),
        alt_text: 'Noise\ufffd',
        text: 'Look',
      },
    ]);
    expect(network.server.listPosts()[0]!.media).toEqual([image.sha256]);
  });

  test('can be a video, and needs no text', async () => {
    await using network = await startThreads();
    const video = await hostVideo();
    await network.publish(network.target({ caption: '', media: [video] }));
    expect(listGiven(network)).toEqual([{ media_type: 'VIDEO', video_url: video.publicUrl(0) }]);
    expect(network.server.listPosts()[0]!.media).toEqual([video.sha256]);
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
});

test('a carousel has a container for each file, in their order, and one for all', async () => {
  await using network = await startThreads();
  network.server.readsUntilFinished.IMAGE = 1;
  const media = [await hostImage(), await hostVideo({ altText: 'A film' }), await hostImage()];
  const replyTo = network.server.addPost('Hello');
  await network.publish(network.target({ caption: 'Three', media, replyTo }));
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
