// Posts to TikTok: what arrives there, what is asked before, and how they end.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { hostMedia } from '../../../support/media/hosted-media.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startTikTok } from '../../../support/networks/tiktok/connected.ts';
import { createTikTok } from '../../../../activities/platforms/tiktok/index.ts';
import type { Published } from '../../../../activities/platforms/platform.ts';
import { createClient } from '../../../support/receivers/loopback.ts';

const never = new AbortController().signal;
const hostPhoto = async (contentType = 'image/jpeg') =>
  hostMedia(await createImage({ contentType, altText: null }));

describe('a video', () => {
  test('arrives with its caption and everything off', async () => {
    await using started = await startTikTok();
    const { network, target, publish } = started;
    const video = createVideo({ thumbnailAtMs: 1_500 });
    const outcome = await publish(target({ caption: 'Rehearsal #brass 😀', media: [video] }));
    expect(outcome.outcome).toBe('accepted');
    expect(network.begun).toEqual([
      {
        post_info: {
          title: 'Rehearsal #brass 😀',
          privacy_level: 'PUBLIC_TO_EVERYONE',
          disable_comment: true,
          disable_duet: true,
          disable_stitch: true,
          video_cover_timestamp_ms: 1_500,
          brand_content_toggle: false,
          brand_organic_toggle: false,
          is_aigc: false,
        },
        source_info: {
          source: 'FILE_UPLOAD',
          video_size: video.bytes,
          chunk_size: video.bytes,
          total_chunk_count: 1,
        },
      },
    ]);
    expect(network.listPosts()).toMatchObject([{ media: [video.sha256] }]);
  });

  test('is asked for the creator right before it begins', async () => {
    await using started = await startTikTok();
    await started.publish(started.target({ media: [createVideo()] }));
    expect(started.network.calls).toEqual([
      'POST /v2/post/publish/creator_info/query/',
      'POST /v2/post/publish/video/init/',
      'PUT /video/',
    ]);
  });

  test.each([
    ['PUBLIC_TO_EVERYONE', 'public', true],
    ['MUTUAL_FOLLOW_FRIENDS', 'private', false],
    ['SELF_ONLY', 'private', false],
  ] as const)('of %s ends as %s', async (privacy_level, visibility, hasId) => {
    await using started = await startTikTok();
    const { network, confirm, publish, target } = started;
    const asked = target({ media: [createVideo()], platformOptions: { privacy_level } });
    const accepted = await publish(asked);
    const state = 'state' in accepted ? accepted.state : {};
    expect(await confirm({ ...asked, state })).toMatchObject({ outcome: 'accepted' });
    const { id } = network.listPosts()[0]!;
    expect(await confirm({ ...asked, state })).toEqual({
      outcome: 'published',
      published: {
        externalId: hasId ? id : null,
        url: hasId ? `https://www.tiktok.com/@ada_l/video/${id}` : null,
        visibility,
      },
    });
  });

  test('is published without an ID while TikTok moderates it', async () => {
    await using started = await startTikTok((network) => {
      Object.assign(network, { isModerated: false, processingPolls: 0 });
    });
    const asked = started.target({ media: [createVideo()] });
    const accepted = await started.publish(asked);
    const state = 'state' in accepted ? accepted.state : {};
    const published = await started.confirm({ ...asked, state });
    expect(published).toMatchObject({
      outcome: 'published',
      published: { externalId: null, url: null, visibility: 'public', followUp: {} },
    });

    const { followUp } = (published as { published: Published }).published;
    const post = {
      ...asked,
      externalId: null,
      altTexts: [],
      publishedAt: null,
      ...followUp!,
    };
    expect(await started.followUp(post)).toEqual({ outcome: 'more', waitMs: 60_000 });
    started.network.isModerated = true;
    const { id } = started.network.listPosts()[0]!;
    expect(await started.followUp(post)).toEqual({
      outcome: 'done',
      finished: { externalId: id, url: `https://www.tiktok.com/@ada_l/video/${id}` },
    });
  });

  test('is gone once the moderation has refused it, an hour later', async () => {
    await using started = await startTikTok((network) => {
      Object.assign(network, { isModerated: false, processingPolls: 0 });
    });
    const asked = started.target({ media: [createVideo()] });
    const accepted = await started.publish(asked);
    const state = 'state' in accepted ? accepted.state : {};
    const published = await started.confirm({ ...asked, state });
    const { followUp } = (published as { published: Published }).published;
    const post = { ...asked, externalId: null, altTexts: [], publishedAt: null, ...followUp! };
    expect(followUp!.forMs).toBe(24 * 3_600_000);
    expect(await started.followUp(post)).toEqual({ outcome: 'more', waitMs: 60_000 });
    started.network.publishings[0]!.failure = 'spam_risk';
    expect(await started.followUp(post)).toEqual({ outcome: 'gone' });
  });

  test('keeps off what the creator has turned off since', async () => {
    await using started = await startTikTok();
    started.network.creator.comment_disabled = true;
    const platformOptions = { allow_comment: true, allow_duet: true };
    await started.publish(started.target({ media: [createVideo()], platformOptions }));
    expect(started.network.begun).toMatchObject([
      { post_info: { disable_comment: true, disable_duet: false } },
    ]);
  });
});

describe('the creator', () => {
  test.each(['privacy_level', 'consent'])('without a %s begins nothing', async (option) => {
    await using started = await startTikTok();
    const { network, target, publish } = started;
    const platformOptions = { [option]: undefined };
    for (const media of [[createVideo()], [await hostPhoto()]]) {
      await expect(publish(target({ media, platformOptions }))).rejects.toThrow(option);
    }
    expect(network.begun).toEqual([]);
  });

  test('must still be offered the privacy level', async () => {
    await using started = await startTikTok();
    const { network, target, prepareStep } = started;
    network.creator.privacy_level_options = ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'];
    const error = await refusal(prepareStep(target({ media: [createVideo()] })));
    expect(error.kind).toBe('rejected');
    expect(error.options).toMatchObject({
      failsAs: 'choice_gone',
      platformCode: 'privacy_level_option_mismatch',
      providerError: {
        path: 'platform_options.privacy_level',
        offered: ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'],
      },
    });
    expect(network.begun).toEqual([]);
  });

  test('must still be able to publish a video of this length', async () => {
    await using started = await startTikTok();
    started.network.creator.max_video_post_duration_sec = 30;
    const error = await refusal(started.prepareStep(started.target({ media: [createVideo()] })));
    expect(error).toMatchObject({ kind: 'rejected' });
    expect(error.message).toContain('30000 ms');
  });
});

describe('photos', () => {
  test('are fetched by TikTok, with their title, description and options', async () => {
    await using started = await startTikTok();
    const media = [await hostPhoto(), await hostPhoto('image/webp')];
    const platformOptions = { title: 'Band', auto_add_music: true, promotes_own_brand: true };
    const asked = started.target({ caption: 'On tour', media, platformOptions });
    const accepted = await started.publish(asked);
    expect(started.network.begun).toMatchObject([
      {
        media_type: 'PHOTO',
        post_mode: 'DIRECT_POST',
        post_info: {
          title: 'Band',
          description: 'On tour',
          privacy_level: 'PUBLIC_TO_EVERYONE',
          disable_comment: true,
          auto_add_music: true,
          brand_content_toggle: false,
          brand_organic_toggle: true,
        },
        source_info: {
          source: 'PULL_FROM_URL',
          photo_images: media.map((photo) => photo.publicUrl(0)),
          photo_cover_index: 0,
        },
      },
    ]);
    const state = 'state' in accepted ? accepted.state : {};
    await started.confirm({ ...asked, state });
    const { id } = started.network.listPosts()[0]!;
    expect(await started.confirm({ ...asked, state })).toMatchObject({
      published: { url: `https://www.tiktok.com/@ada_l/photo/${id}` },
    });
  });

  test('need an address that TikTok reaches', async () => {
    const fetched: string[] = [];
    const fetch = (url: string) => {
      fetched.push(url);
      return Promise.reject(new Error('Nothing is sent.'));
    };
    const tiktok = createTikTok({
      ...createClient(),
      fetch,
      apiUrl: 'https://open.tiktokapis.com',
      consentUrl: 'https://www.tiktok.com/v2/auth/authorize',
      scopes: [],
    });
    await using started = await startTikTok();
    const target = started.target({ media: [await hostPhoto()] });
    const error = await refusal(tiktok.prepare!(target, never));
    expect(error.options.failsAs).toBe('media_not_public');
    expect(fetched).toEqual([]);
  });

  test('from a domain that TikTok has not verified are refused, with the next step', async () => {
    await using started = await startTikTok();
    started.network.isDomainVerified = false;
    const error = await refusal(started.publish(started.target({ media: [await hostPhoto()] })));
    expect(error).toMatchObject({ kind: 'rejected', options: { failsAs: 'media_not_public' } });
    expect(error.message).toContain('verifies the domain');
  });

  test('that TikTok could not fetch end with its reason', async () => {
    await using started = await startTikTok();
    const photo = await hostPhoto();
    const lost = { ...photo, publicUrl: () => `${photo.publicUrl(0)}/none` };
    const asked = started.target({ media: [lost] });
    const accepted = await started.publish(asked);
    const state = 'state' in accepted ? accepted.state : {};
    const error = await refusal(started.confirm({ ...asked, state }));
    expect(error.options).toMatchObject({
      failsAs: 'media_fetch_failed',
      platformCode: 'photo_pull_failed',
    });
  });
});

describe('a draft', () => {
  const left = {
    outcome: 'published',
    published: { externalId: null, url: null, visibility: 'draft', nextAction: 'finish_in_app' },
  };

  test('of a video ends in the inbox, without a question about the creator', async () => {
    await using started = await startTikTok();
    const asked = started.draft({ media: [createVideo()] });
    const accepted = await started.publish(asked);
    expect(started.network.calls).toEqual([
      'POST /v2/post/publish/inbox/video/init/',
      'PUT /video/',
    ]);
    const state = 'state' in accepted ? accepted.state : {};
    await started.confirm({ ...asked, state });
    expect(await started.confirm({ ...asked, state })).toEqual(left);
  });

  test('of photos ends in the inbox, with its texts', async () => {
    await using started = await startTikTok((network) => {
      network.processingPolls = 0;
    });
    const platformOptions = { title: 'Band' };
    const media = [await hostPhoto()];
    const asked = started.draft({ caption: 'On tour', media, platformOptions });
    const accepted = await started.publish(asked);
    expect(started.network.begun).toMatchObject([
      { post_mode: 'MEDIA_UPLOAD', post_info: { title: 'Band', description: 'On tour' } },
    ]);
    const state = 'state' in accepted ? accepted.state : {};
    expect(await started.confirm({ ...asked, state })).toEqual(left);
  });

  test('is published once the creator has published it', async () => {
    await using started = await startTikTok();
    const asked = started.draft({ media: [createVideo()] });
    const accepted = await started.publish(asked);
    const state = 'state' in accepted ? accepted.state : {};
    for (const each of started.network.publishings) {
      Object.assign(each, {
        isDraft: false,
        polls: 1,
        options: { privacy_level: 'PUBLIC_TO_EVERYONE' },
      });
    }
    expect(await started.confirm({ ...asked, state })).toMatchObject({
      outcome: 'published',
      published: { externalId: expect.any(String) as string, visibility: null },
    });
  });
});
