// A lost answer of TikTok: the status of the publishing proves what happened to a video, and nothing does for photos.
import { expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { hostMedia } from '../../../support/media/hosted-media.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startTikTok } from '../../../support/networks/tiktok/connected.ts';

test('a video that TikTok has is found once it is processed', async () => {
  await using started = await startTikTok();
  const prepared = await started.prepare(started.target({ media: [createVideo()] }));
  await started.commit(prepared);
  const error = await refusal(started.reconcile(prepared));
  expect(error.kind).toBe('unavailable');
  const { id } = started.network.listPosts()[0]!;
  expect(await started.reconcile(prepared)).toMatchObject({
    outcome: 'published',
    published: { externalId: id, visibility: 'public' },
  });
});

test('a video whose last chunk has not arrived is absent', async () => {
  await using started = await startTikTok();
  const prepared = await started.prepare(started.target({ media: [createVideo()] }));
  expect(await started.reconcile(prepared)).toEqual({ outcome: 'absent' });
});

test('a video that failed at TikTok is absent', async () => {
  await using started = await startTikTok((network) => {
    network.failsWith = 'internal';
  });
  const prepared = await started.prepare(started.target({ media: [createVideo()] }));
  await started.commit(prepared);
  expect(await started.reconcile(prepared)).toEqual({ outcome: 'absent' });
});

test('a draft is found in the inbox', async () => {
  await using started = await startTikTok((network) => {
    network.processingPolls = 0;
  });
  const prepared = await started.prepare(started.draft({ media: [createVideo()] }));
  await started.commit(prepared);
  expect(await started.reconcile(prepared)).toMatchObject({
    published: { visibility: 'draft', nextAction: 'finish_in_app' },
  });
});

test('a video whose state is lost is unknown', async () => {
  await using started = await startTikTok();
  const target = started.target({ media: [createVideo()] });
  await started.publish(target);
  expect(await started.reconcile(target)).toEqual({ outcome: 'unknown' });
});

test('photos whose answer was lost are unknown', async () => {
  await using started = await startTikTok();
  const media = [await hostMedia(await createImage({ contentType: 'image/jpeg' }))];
  const prepared = await started.prepare(started.target({ media }));
  await started.commit(prepared);
  expect(await started.reconcile(prepared)).toEqual({ outcome: 'unknown' });
});
