// Media at Mastodon: their upload, the server's processing and limits, and uploads that the server deleted.
import { describe, expect, test } from 'vitest';
import { checkMedia, type MediaFacts } from '../../../../activities/platforms/media-rules.ts';
import type { TargetMedia } from '../../../../activities/platforms/platform.ts';
import { mastodon as definition } from '../../../../schema/platforms/mastodon.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { connectNew } from '../../../support/networks/mastodon/connected.ts';
import { asGoToSocial } from '../../../support/networks/mastodon/server.ts';

const never = new AbortController().signal;
/** A JPEG without an alt text. */
const photo = (change: Partial<TargetMedia> = {}) =>
  createImage({ contentType: 'image/jpeg', altText: null, ...change });

describe('images', () => {
  test('arrive byte for byte, in their order, with their alt texts', async () => {
    const { network, prepare, commit, targetOf } = await connectNew();
    const media = [
      await photo({ altText: 'A tuba — “gold”\nand big' }),
      await photo({ contentType: 'image/png' }),
      await photo({ contentType: 'image/webp', altText: ' ' }),
      await photo({ contentType: 'image/gif' }),
    ];
    const target = targetOf({ caption: '', media });
    await commit({ ...target, state: await prepare(target) });
    const [post] = network.listPosts();
    expect(network.uploads).toEqual(
      media.map(({ sha256, contentType, filename, altText }) => ({
        id: expect.any(String) as string,
        kind: 'image',
        type: contentType,
        filename,
        sha256,
        thumbnailSha256: null,
        description: altText,
        pollsLeft: 0,
        statusId: post!.id,
      })),
    );
    expect(network.calls).toEqual([...media.map(() => '/api/v2/media'), '/api/v1/statuses']);
  });

  test('take one upload per step, and a repeated step uploads again', async () => {
    const { network, mastodon, targetOf } = await connectNew();
    const media = [await photo(), await photo()];
    const target = targetOf({ media });
    const first = await mastodon.prepare!(target, never);
    expect(first).toMatchObject({ outcome: 'more', waitMs: 0 });
    const { state } = await mastodon.prepare!({ ...target, state: first.state }, never);
    const again = await mastodon.prepare!({ ...target, state: first.state }, never);
    expect(again.outcome).toBe('prepared');
    expect(network.uploads).toHaveLength(3);
    expect(state).not.toEqual(again.state);
    const outcome = await mastodon.commit({ ...target, state: again.state }, never);
    expect(outcome).toMatchObject({ outcome: 'published' });
    expect(network.uploads.filter(({ statusId }) => statusId).map(({ sha256 }) => sha256)).toEqual(
      media.map(({ sha256 }) => sha256),
    );
  });

  test('are hidden behind a warning on request', async () => {
    const { network, prepare, commit, targetOf } = await connectNew();
    const platformOptions = { sensitive: true };
    const target = targetOf({ media: [await photo()], platformOptions });
    await commit({ ...target, state: await prepare(target) });
    expect(network.listPosts()[0]!.options).toEqual({ sensitive: true });
  });

  test('stay private in a reply to a private post', async () => {
    const { network, prepare, commit, targetOf } = await connectNew();
    const { id } = network.addStatus({ text: 'Hello', options: { visibility: 'private' } });
    const media = [await photo(), await photo()];
    const target = targetOf({ replyTo: id, media });
    await commit({ ...target, state: await prepare(target) });
    expect(network.listPosts()[1]).toMatchObject({ options: { visibility: 'private' } });
    expect(network.calls.filter((path) => path === `/api/v1/statuses/${id}`)).toHaveLength(1);
  });
});

describe('a video', () => {
  test('is polled until the server has processed it, and has its thumbnail', async () => {
    const { network, mastodon, prepare, commit, targetOf } = await connectNew({ videoPolls: 3 });
    const thumbnail = await photo();
    const video = createVideo({ thumbnail, altText: 'A march' });
    const target = targetOf({ media: [video] });
    const first = await mastodon.prepare!(target, never);
    expect(first).toMatchObject({ outcome: 'more', waitMs: 1_000 });
    const state = await prepare({ ...target, state: first.state });
    expect(await commit({ ...target, state })).toMatchObject({ outcome: 'published' });
    expect(network.uploads).toMatchObject([
      { kind: 'video', sha256: video.sha256, thumbnailSha256: thumbnail.sha256 },
    ]);
    const { id } = network.uploads[0]!;
    const polls = Array.from({ length: 3 }, () => `/api/v1/media/${id}`);
    expect(network.calls).toEqual(['/api/v2/media', ...polls, '/api/v1/statuses']);
  });

  test('is refused if the server fails to process it', async () => {
    const { prepare, targetOf } = await connectNew({ videoPolls: 'fails' });
    const error = await refusal(prepare(targetOf({ media: [createVideo()] })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: 'Mastodon refused the request: 422: Error processing thumbnail for uploaded media',
    });
  });
});

describe('an upload is refused', () => {
  test.each<[string, Partial<TargetMedia>, string]>([
    ['of another type', { contentType: 'image/tiff' }, '422: Validation failed: File content type'],
    [
      'with a long alt text',
      { altText: 'ä'.repeat(1_501) },
      '422: Validation failed: Description is too long (maximum is 1500 characters)',
    ],
    [
      "if the server can't read it",
      { contentType: 'image/png' },
      '500: Error processing thumbnail for uploaded media',
    ],
  ])('%s', async (_what, change, words) => {
    const { network, prepare, targetOf } = await connectNew();
    const media = [{ ...(await photo()), ...change }];
    const error = await refusal(prepare(targetOf({ media })));
    expect(error.kind).toBe('rejected');
    expect(error.message).toContain(words);
    expect(network.uploads).toEqual([]);
  });

  test('if the token lacks the scope for uploads, and the login stays', async () => {
    const tokenScopes = ['read', 'write:statuses'];
    const { prepare, targetOf } = await connectNew({ scopes: null, tokenScopes });
    const target = targetOf({ media: [await photo()] });
    expect(await refusal(prepare(target))).toMatchObject({
      kind: 'rejected',
      message: 'The access token lacks write:media. Connect the account with another token.',
      options: { platformCode: 'missing_scope' },
    });
  });
});

describe('a commit', () => {
  test('is stale if the server deleted its media, and publishes nothing', async () => {
    const { network, prepare, commit, targetOf } = await connectNew();
    const target = targetOf({ media: [await photo(), await photo()] });
    const state = await prepare(target);
    network.deleteUnused();
    expect(await commit({ ...target, state })).toEqual({ outcome: 'stale' });
    expect(network.listPosts()).toEqual([]);
    const renewed = await prepare(target);
    expect(await commit({ ...target, state: renewed })).toMatchObject({ outcome: 'published' });
  });

  test('is stale if a server refuses its media with 400', async () => {
    const { network, prepare, commit, targetOf } = await connectNew(asGoToSocial);
    const target = targetOf({ media: [await photo()] });
    const state = await prepare(target);
    await commit({ ...target, state });
    expect(await commit({ ...target, state })).toEqual({ outcome: 'stale' });
    network.deleteUnused();
    const gone = { ...target, state: { media_ids: ['1'], is_processing: false } };
    expect(await commit(gone)).toEqual({ outcome: 'stale' });
    expect(network.listPosts()).toHaveLength(1);
  });

  test('is not stale if it is refused for another reason', async () => {
    const { prepare, commit, targetOf } = await connectNew({ maxCharacters: 10 });
    const target = targetOf({ caption: 'a'.repeat(11), media: [await photo()] });
    const error = await refusal(commit({ ...target, state: await prepare(target) }));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '422' } });
  });
});

describe('a lost post', () => {
  test('is found by its media, even if the state is lost', async () => {
    const { network, prepare, commit, reconcile, targetOf } = await connectNew();
    const media = [await photo({ altText: ' A\nB ' }), await photo()];
    const target = targetOf({ caption: '', media });
    network.addStatus({ text: '' });
    const state = await prepare(target);
    expect(await reconcile({ ...target, state })).toEqual({ outcome: 'absent' });
    expect(await reconcile(target)).toEqual({ outcome: 'absent' });
    const { published } = (await commit({ ...target, state })) as { published: unknown };
    const found = { outcome: 'published', published };
    expect(await reconcile({ ...target, state })).toEqual(found);
    expect(await reconcile(target)).toEqual(found);
  });

  test('is not taken for a post with other media', async () => {
    const { prepare, commit, reconcile, targetOf } = await connectNew();
    const image = await photo({ altText: 'A' });
    const other = targetOf({ media: [image] });
    await commit({ ...other, state: await prepare(other) });
    const absent = { outcome: 'absent' };
    expect(await reconcile(targetOf())).toEqual(absent);
    expect(await reconcile(targetOf({ media: [image, image] }))).toEqual(absent);
    expect(await reconcile(targetOf({ media: [await photo()] }))).toEqual(absent);
    const same = targetOf({ media: [image] });
    expect(await reconcile(same)).toMatchObject({ outcome: 'published' });
    expect(await reconcile({ ...same, state: await prepare(same) })).toEqual(absent);
  });
});

describe('the rules', () => {
  const place = { path: ['media'], pathOf: (i: number) => ['media', i], autoFit: false };
  const factsOf = (change: Partial<MediaFacts>): MediaFacts => ({
    kind: 'image',
    contentType: 'image/jpeg',
    bytes: 1,
    width: 1,
    height: 1,
    durationMs: null,
    altText: null,
    url: null,
    ...change,
  });

  test('are those of a new server by default', () => {
    expect(definition.rules.media).toMatchObject({
      max: 4,
      canMix: false,
      image: { max: 4, maxBytes: 16_777_215, maxPixels: 33_177_600 },
      video: { max: 1, maxBytes: 103_809_023, maxPixels: 8_294_400 },
      altText: 1_500,
    });
  });

  test('are those of the server of the account', async () => {
    const image = await photo();
    const limit = image.bytes;
    const { connection, prepare, targetOf } = await connectNew({
      mediaLimits: {
        max_media_attachments: 6,
        supported_mime_types: ['image/png', 'image/jpeg', 'video/mp4'],
        description_limit: 10,
        image_size_limit: limit,
        video_matrix_limit: 100,
      },
    });
    const rules = definition.rulesFor(connection.traits!).media;
    const codesOf = (change: Partial<MediaFacts>) =>
      checkMedia('Mastodon', rules, [factsOf(change)], place).errors.map(({ code }) => code);
    expect(rules).toMatchObject({ max: 6, image: { max: 6, types: ['image/jpeg', 'image/png'] } });
    expect(codesOf({ bytes: limit - 1, altText: 'a'.repeat(10) })).toEqual([]);
    expect(codesOf({ bytes: limit })).toEqual(['media_too_large']);
    expect(codesOf({ contentType: 'image/webp' })).toEqual(['media_type_not_supported']);
    expect(codesOf({ altText: 'a'.repeat(11) })).toEqual(['alt_text_too_long']);
    const video = { kind: 'video', contentType: 'video/mp4', width: 11, height: 10 } as const;
    expect(codesOf(video)).toEqual(['media_too_many_pixels']);
    const error = await refusal(prepare(targetOf({ media: [image] })));
    expect(error.message).toContain(`File must be less than ${limit} Bytes`);
  });
});
