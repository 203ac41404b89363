// Images and videos of a post to Instagram, which fetches them.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { hostMedia, hostVideo } from '../../../support/media/hosted-media.ts';
import { createImage } from '../../../support/media/target-media.ts';
import { hostJpeg, startInstagram } from '../../../support/networks/instagram/connected.ts';

describe('an image that Instagram refuses', () => {
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

describe('a video', () => {
  test.each([
    ['2207026', 'Instagram does not support the format of the video. (2207026)'],
    ['2207082', "Instagram can't read the video or its audio. (2207082)"],
    ['2207999', 'Instagram could not process the media. (2207999)'],
  ])('says why it failed with %s', async (code, message) => {
    await using network = await startInstagram();
    network.server.failures.push(code);
    const media = [await hostVideo()];
    expect(await refusal(network.prepare(network.target({ media })))).toMatchObject({
      kind: 'rejected',
      message,
    });
    expect(network.server.containers).toHaveLength(1);
  });

  test("is refused if the thumbnail's time is after its end", async () => {
    await using network = await startInstagram();
    const media = [await hostVideo({ thumbnailAtMs: 60_001 })];
    const error = await refusal(network.prepareStep(network.target({ media })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '1/2207057' } });
    expect(error.message).toContain('thumbnail_at_ms');
  });
});
