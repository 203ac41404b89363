// What a post to Instagram may have, before anything is sent.
import { describe, expect, test } from 'vitest';
import type { MediaFacts } from '../../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import type { PostSummary } from '../../../../schema/platforms/definition.ts';
import { instagram, placementOf } from '../../../../schema/platforms/instagram.ts';
import { findMediaIssues, image, times, video } from '../../../support/checks/media-issues.ts';

const unread: MediaFacts = { ...image, kind: null, contentType: null, bytes: null };

const find = (media: MediaFacts[], given?: Record<string, unknown>, autoFit?: boolean) =>
  findMediaIssues(instagram, media, given, autoFit);

describe('the placement', () => {
  test.each<[MediaFacts[], Record<string, unknown>, string | undefined]>([
    [[image], {}, 'feed'],
    [[video], {}, 'reel'],
    [[video, video], {}, 'feed'],
    [[image, video], {}, 'feed'],
    [[unread], {}, undefined],
    [[video], { placement: 'story' }, 'story'],
  ])('is decided by %o with %o: %s', (media, options, placement) => {
    expect(placementOf(media, options)).toBe(placement);
  });

  test.each<[string, MediaFacts[], string, string]>([
    ['feed', [video], 'feed', 'Instagram publishes a single video only as a reel or as a story.'],
    ['reel', [image], 'reel', 'A reel on Instagram is one video.'],
    ['reel', times(2, video), 'reel', 'A reel on Instagram is one video.'],
    ['story', times(2, image), 'story', 'A story on Instagram is one image or one video.'],
  ])('%s refuses other media', (_, media, placement, message) => {
    expect(find(media, { placement }).errors).toContainEqual({
      path: ['platform_options', 'placement'],
      code: 'placement_not_supported',
      message,
    });
  });

  test.each<[string, MediaFacts[]]>([
    ['feed', [image]],
    ['feed', [image, video]],
    ['feed', [unread]],
    ['reel', [video]],
    ['reel', [unread]],
    ['story', [image]],
    ['story', [video]],
  ])('%s takes its media', (placement, media) => {
    expect(find(media, { placement }).errorCodes).toEqual([]);
  });
});

describe('media', () => {
  const story = { placement: 'story' };

  test.each<[string, MediaFacts[], Record<string, unknown>, string[]]>([
    ['10 images and videos', [...times(5, image), ...times(5, video)], {}, []],
    ['11 images', times(11, image), {}, ['too_many_media']],
    ['a PNG', [{ ...image, contentType: 'image/png' }], {}, ['media_type_not_supported']],
    ['8 MB', [{ ...image, bytes: 8_000_000 }], {}, []],
    ['more than 8 MB', [{ ...image, bytes: 8_000_001 }], {}, ['media_too_large']],
    ['a ratio of 4:5', [{ ...image, width: 800, height: 1_000 }], {}, []],
    ['a taller one', [{ ...image, width: 780, height: 1_000 }], {}, ['media_ratio_not_supported']],
    ['a ratio of 1.91', [{ ...image, width: 1_910, height: 1_000 }], {}, []],
    ['a wider one', [{ ...image, width: 1_920, height: 1_000 }], {}, ['media_ratio_not_supported']],
    ['a story of any ratio', [{ ...image, width: 9, height: 16 }], story, []],
    ['3 seconds', [{ ...video, durationMs: 3_000 }], {}, []],
    ['2 seconds', [{ ...video, durationMs: 2_000 }], {}, ['media_too_short']],
    ['15 minutes', [{ ...video, durationMs: 900_000 }], {}, []],
    ['16 minutes', [{ ...video, durationMs: 960_000 }], {}, ['media_too_long']],
    ['a story of 60 seconds', [{ ...video, durationMs: 60_000 }], story, []],
    ['a longer story', [{ ...video, durationMs: 60_001 }], story, ['media_too_long']],
    ['a story of 100 MB', [{ ...video, bytes: 100_000_000 }], story, []],
    ['a larger story', [{ ...video, bytes: 100_000_001 }], story, ['media_too_large']],
    ['a reel of 300 MB', [{ ...video, bytes: 300_000_000 }], {}, []],
    ['a larger reel', [{ ...video, bytes: 300_000_001 }], {}, ['media_too_large']],
    ['1,921 columns', [{ ...video, width: 1_921 }], {}, ['media_too_wide']],
    ['a WebM', [{ ...video, contentType: 'video/webm' }], {}, ['media_type_not_supported']],
    ['an alt text of 1,000 characters', [{ ...image, altText: 'a'.repeat(1_000) }], {}, []],
    ['a longer one', [{ ...image, altText: 'a'.repeat(1_001) }], {}, ['alt_text_too_long']],
  ])('%s', (_, media, given, codes) => {
    expect(find(media, given).errorCodes).toEqual(codes);
  });

  test('are fitted to a JPEG of 8 MB', () => {
    const png = { ...image, contentType: 'image/png', bytes: 20_000_000 };
    const { errors, warningCodes } = find([png], {}, true);
    expect(errors).toEqual([]);
    expect(warningCodes).toEqual(['media_fitted', 'media_fitted']);
  });

  test.each([
    ['a video', { ...video, altText: 'A film' }, {}],
    ['a story', { ...image, altText: 'Noise' }, story],
  ])('show no alt text in %s', (_, facts, given) => {
    const { errors, warningCodes } = find([facts], given);
    expect(errors).toEqual([]);
    expect(warningCodes).toEqual(['alt_text_ignored']);
  });

  test('show no thumbnail in a story', () => {
    const facts = { ...video, hasThumbnail: true, thumbnailAtMs: 1_000 };
    expect(find([facts]).warningCodes).toEqual([]);
    expect(find([facts], story).warningCodes).toEqual(['thumbnail_ignored', 'thumbnail_ignored']);
  });
});

describe('options', () => {
  test.each([
    { placement: 'short' },
    { collaborators: ['@ada'] },
    { collaborators: ['a', 'b', 'c', 'd'] },
    { collaborators: ['a', 'a'] },
    { collaborators: [] },
    { user_tags: Array.from({ length: 21 }, (_, i) => ({ username: `a${i}` })) },
    { user_tags: [{ username: 'ada', x: 1.01, y: 0 }] },
    { user_tags: [{ username: 'ada', media_index: 10 }] },
    { location_id: 'Paris' },
    { audio_name: '' },
    { alt_text: 'Noise' },
  ])('%o are refused', (given) => {
    expect(instagram.options.safeParse(given).success).toBe(false);
  });

  const tags = (...user_tags: object[]) => ({ user_tags });
  test.each<[string, MediaFacts[], Record<string, unknown>, string[]]>([
    [
      'are refused for an image if only reels have them',
      [image],
      { share_to_feed: false },
      ['option_not_supported'],
    ],
    [
      'are refused for a story if only reels have them',
      [video],
      { placement: 'story', audio_name: 'a' },
      ['option_not_supported'],
    ],
    ['are accepted for a reel', [video], { share_to_feed: false, audio_name: 'a' }, []],
    ['are accepted for a file that is not read yet', [unread], { share_to_feed: false }, []],
    [
      'are refused if a story has further authors',
      [image],
      { placement: 'story', collaborators: ['a'] },
      ['option_not_supported'],
    ],
    ['are accepted if an image has further authors', [image], { collaborators: ['a'] }, []],
    [
      'are refused if a tag in an image has no place',
      [image],
      tags({ username: 'a' }),
      ['invalid_user_tag'],
    ],
    [
      'are accepted if a tag in an image has a place',
      [image],
      tags({ username: 'a', x: 0, y: 1 }),
      [],
    ],
    [
      'are refused if a tag has half a place',
      [video],
      tags({ username: 'a', x: 0 }),
      ['invalid_user_tag'],
    ],
    ['are accepted if a tag in a video has no place', [video], tags({ username: 'a' }), []],
    [
      'are refused if a tag in a video has a place',
      [video],
      tags({ username: 'a', x: 0, y: 1 }),
      ['invalid_user_tag'],
    ],
    [
      'are accepted if a tag in a story has no place',
      [image],
      { placement: 'story', ...tags({ username: 'a' }) },
      [],
    ],
    [
      'are refused if a tag is for an image that is missing',
      [image],
      tags({ username: 'a', x: 0, y: 1, media_index: 1 }),
      ['invalid_user_tag'],
    ],
    [
      'are accepted if a tag is for the second file',
      [image, video],
      tags({ username: 'a', media_index: 1 }),
      [],
    ],
  ])('%s', (_, media, given, codes) => {
    expect(instagram.options.safeParse(given).success).toBe(true);
    expect(find(media, given).errorCodes).toEqual(codes);
  });
});

describe('the post as a whole', () => {
  const post: PostSummary = {
    caption: 'Hello',
    media: [image],
    options: {},
    firstComment: null,
    isReply: false,
  };
  const story = { placement: 'story' };

  test.each<[string, Partial<PostSummary>, [string, string, true?][]]>([
    ['needs media', { media: [] }, [['media', 'media_required']]],
    ['needs no caption', { caption: '' }, []],
    ['may have a comment', { firstComment: 'First!' }, []],
    ['has no caption if it is a story', { options: story }, [['caption', 'caption_ignored', true]]],
    [
      'has no comment if it is a story',
      { options: story, caption: ' ', firstComment: 'First!' },
      [['first_comment', 'comments_not_supported']],
    ],
    ['may have 30 hashtags', { caption: '#ä '.repeat(30) }, []],
    ['may not have 31 hashtags', { caption: '#ä '.repeat(31) }, [['caption', 'too_many_hashtags']]],
    ['may mention 20 accounts', { caption: '@ada.l '.repeat(20) }, []],
    [
      'may not mention 21 accounts',
      { caption: '@ada.l '.repeat(21) },
      [['caption', 'too_many_mentions']],
    ],
    ['may have 21 email addresses', { caption: 'ada@example.com '.repeat(21) }, []],
    ['has no media if it is a reply', { isReply: true }, [['media', 'media_not_supported']]],
    [
      'needs a text if it is a reply',
      { isReply: true, media: [], caption: ' ' },
      [['caption', 'caption_required']],
    ],
    ['may be a text alone if it is a reply', { isReply: true, media: [] }, []],
  ])('%s', (_, change, expected) => {
    const findings = instagram.rules.check({ ...post, ...change });
    expect(findings.map(({ at, code, isWarning }) => [at, code, isWarning])).toEqual(
      expected.map(([at, code, isWarning]) => [at, code, isWarning]),
    );
  });

  test('is refused with the actual count and the limit', () => {
    expect(instagram.rules.check({ ...post, caption: '#a '.repeat(40) })).toMatchObject([
      { actual: 40, limit: 30 },
    ]);
  });
});

test.each([
  ['a'.repeat(2_200), []],
  ['😀'.repeat(2_200), []],
  ['a'.repeat(2_201), ['caption_too_long']],
  ['', []],
])('the text %.10s… has the issues %o', (text, codes) => {
  expect(checkText(instagram, text, { path: ['caption'] }).map(({ code }) => code)).toEqual(codes);
});
