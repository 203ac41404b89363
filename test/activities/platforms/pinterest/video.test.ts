// The video of a pin: its upload, its processing and its cover.
import { describe, expect, test } from 'vitest';
import type { TargetMedia } from '../../../../activities/platforms/platform.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startPinterest } from '../../../support/networks/pinterest/connected.ts';
import { uploadPath } from '../../../support/networks/pinterest/refusals.ts';

type Network = Awaited<ReturnType<typeof startPinterest>>;

const targetWith = ({ target }: Network, change?: Partial<TargetMedia>) =>
  target({ media: [createVideo(change)] });

describe('an upload', () => {
  test('is registered, sent to the bucket, and polled until it is processed', async () => {
    await using network = await startPinterest();
    network.server.videos.processing = 2;
    const target = targetWith(network);
    const first = await network.prepareStep(target);
    const [video] = network.server.videos.all;
    expect(first).toEqual({ outcome: 'more', state: { mediaId: video!.id }, waitMs: 2_000 });
    expect(video!.sha256).toBe(target.media[0]!.sha256);
    const prepared = await network.prepare({ ...target, state: first.state });
    expect(prepared.state).toEqual({ mediaId: video!.id });
    expect(network.server.calls).toEqual([
      'POST /v5/media',
      `POST ${uploadPath}`,
      ...Array<string>(3).fill(`GET /v5/media/${video!.id}`),
    ]);
    await network.commit(prepared);
    expect(network.server.pins).toMatchObject([
      { media_type: 'video', media: [target.media[0]!.sha256] },
    ]);
  });

  test('is not needed for images', async () => {
    await using network = await startPinterest();
    const target = network.target({ media: [await createImage()] });
    expect(await network.prepareStep(target)).toEqual({ outcome: 'prepared', state: {} });
    expect(network.server.calls).toEqual([]);
  });

  test('begins again with another address if it was refused', async () => {
    await using network = await startPinterest();
    network.server.videos.hasExpired = true;
    const target = targetWith(network);
    const error = await refusal(network.prepareStep(target));
    expect(error).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: 'AccessDenied' },
    });
    expect(error.message).toContain('Policy expired.');
    const { parameters } = network.server.videos.all[0]!;
    const reported = JSON.stringify([error.message, error.options]);
    expect(Object.values(parameters).filter((value) => reported.includes(value))).toEqual([]);
    network.server.videos.hasExpired = false;
    expect(await network.publish(target)).toMatchObject({ outcome: 'published' });
    expect(network.server.videos.all).toHaveLength(2);
  });

  test('is final if the bucket refuses a file as too large', async () => {
    await using network = await startPinterest();
    network.server.videos.maxBytes = 100;
    expect(await refusal(network.prepareStep(targetWith(network)))).toMatchObject({
      kind: 'rejected',
      options: { failsAs: 'media_too_large', platformCode: 'EntityTooLarge' },
    });
  });

  test('is final if Pinterest could not process the video', async () => {
    await using network = await startPinterest();
    network.server.videos.processing = 'fails';
    expect(await refusal(network.prepare(targetWith(network)))).toMatchObject({
      kind: 'rejected',
      options: { failsAs: 'media_invalid', platformCode: 'processing_failed' },
    });
  });

  test('that is missing from the state is made again', async () => {
    await using network = await startPinterest();
    expect(await network.commit(targetWith(network))).toEqual({ outcome: 'stale' });
    expect(network.server.calls).toEqual([]);
  });

  test.each([
    ['https://pinterest-media-upload.s3-accelerate.amazonaws.com/', true],
    ['https://uploads.example/', false],
    ['https://amazonaws.com.example/', false],
    ['http://pinterest-media-upload.s3-accelerate.amazonaws.com/', false],
  ])('goes to %s: %s', async (upload_url, isSent) => {
    const sent: string[] = [];
    const send = (url: string, init?: RequestInit) => {
      if (url.includes('/v5/')) return fetch(url, init);
      sent.push(url);
      expect(new Headers(init?.headers).has('authorization')).toBe(false);
      return Promise.resolve(new Response(null, { status: 204 }));
    };
    await using network = await startPinterest({ send });
    const registered = { media_id: '1', media_type: 'video', upload_parameters: { key: 'a' } };
    network.server.answers.push(Response.json({ ...registered, upload_url }, { status: 201 }));
    const step = network.prepareStep(targetWith(network));
    if (isSent) expect(await step).toMatchObject({ outcome: 'more' });
    else expect(await refusal(step)).toMatchObject({ kind: 'rejected' });
    expect(sent).toEqual(isSent ? [upload_url] : []);
  });
});

describe('the cover', () => {
  test('is the thumbnail of the video', async () => {
    await using network = await startPinterest();
    const thumbnail = await createImage({ contentType: 'image/jpeg' });
    await network.publish(targetWith(network, { thumbnail, thumbnailAtMs: 5_000 }));
    expect(network.server.pins).toMatchObject([{ cover: thumbnail.sha256 }]);
  });

  test.each([
    [5_900, 5],
    [0, 0],
    [null, 0],
  ])('is the frame at %s ms, in whole seconds: %i', async (thumbnailAtMs, cover) => {
    await using network = await startPinterest();
    await network.publish(targetWith(network, { thumbnailAtMs }));
    expect(network.server.pins).toMatchObject([{ cover }]);
  });
});
