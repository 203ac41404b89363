// What a post to Facebook may have, before anything is sent.
import { describe, expect, test } from 'vitest';
import type { MediaFacts } from '../../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import type { PostSummary } from '../../../../schema/platforms/definition.ts';
import { facebook, placementOf } from '../../../../schema/platforms/facebook.ts';
import {
  findMediaIssues,
  image,
  times,
  video as anyVideo,
} from '../../../support/checks/media-issues.ts';

const video: MediaFacts = { ...anyVideo, height: 1_920 };
const reel = { placement: 'reel' };
const story = { placement: 'story' };

const find = (media: MediaFacts[], given?: Record<string, unknown>) =>
  findMediaIssues(facebook, media, given);

describe('media', () => {
  test.each<[string, MediaFacts[], Record<string, unknown>, string[]]>([
    ['10 images', times(10, image), {}, []],
    ['11 images', times(11, image), {}, ['too_many_media']],
    ['two videos', [video, video], {}, ['too_many_media']],
    ['an image and a video', [image, video], {}, ['media_mix_not_supported']],
    ['a PNG', [{ ...image, contentType: 'image/png' }], {}, []],
    ['a GIF', [{ ...image, contentType: 'image/gif' }], {}, ['media_type_not_supported']],
    ['4 MB', [{ ...image, bytes: 4_000_000 }], {}, []],
    ['more than 4 MB', [{ ...image, bytes: 4_000_001 }], {}, ['media_too_large']],
    ['a long video', [{ ...video, durationMs: 3_600_000 }], {}, []],
    ['a WebM', [{ ...video, contentType: 'video/webm' }], {}, ['media_type_not_supported']],
    ['a link with an image', [image], { link: 'https://example.com' }, ['not_with_media']],
    ['a reel', [video], reel, []],
    ['a reel of 2 seconds', [{ ...video, durationMs: 2_000 }], reel, ['media_too_short']],
    ['a reel of 16 minutes', [{ ...video, durationMs: 960_000 }], reel, ['media_too_long']],
    ['a small reel', [{ ...video, width: 480, height: 854 }], reel, ['media_too_small']],
    ['a reel of an image', [image], reel, ['placement_not_supported']],
    ['a reel of two videos', [video, video], reel, ['placement_not_supported']],
    ['a story of an image', [image], story, []],
    ['a story of a video', [video], story, []],
    ['a story of 61 seconds', [{ ...video, durationMs: 61_000 }], story, ['media_too_long']],
    ['a story of two images', [image, image], story, ['placement_not_supported']],
    ['a file that is not read yet, as a reel', [{ ...image, kind: null }], reel, []],
  ])('%s', (_, media, given, codes) => {
    expect(find(media, given).errorCodes).toEqual(codes);
  });

  test('is refused in words that name the network and the limit', () => {
    const [issue] = find([{ ...video, durationMs: 2_000 }], reel).errors;
    expect(issue!.message).toBe('Facebook accepts videos of at least 3000 ms.');
  });

  test('can have alt text only on images in the feed', () => {
    const altText = 'Noise';
    expect(find([{ ...image, altText }]).warningCodes).toEqual([]);
    expect(find([{ ...video, altText }]).warningCodes).toEqual(['alt_text_ignored']);
    expect(find([{ ...image, altText }], story).warningCodes).toEqual(['alt_text_ignored']);
    const tooLong = { ...image, altText: 'a'.repeat(1_001) };
    expect(find([tooLong]).errorCodes).toEqual(['alt_text_too_long']);
  });
});

describe('the placement', () => {
  const size = { kind: 'video', width: 1_080, height: 1_920, durationMs: 60_000 } as const;

  test.each([
    ['an upright video', [size], 'reel'],
    ['a video of 3 seconds', [{ ...size, durationMs: 3_000 }], 'reel'],
    ['a video of 91 seconds', [{ ...size, durationMs: 91_000 }], 'feed'],
    ['a wide video', [{ ...size, width: 1_920, height: 1_080 }], 'feed'],
    ['a square video', [{ ...size, height: 1_080 }], 'feed'],
    ['a small video', [{ ...size, width: 360, height: 640 }], 'feed'],
    ['a very narrow video', [{ ...size, width: 540, height: 2_000 }], 'feed'],
    ['an image', [{ ...size, kind: 'image' as const, durationMs: null }], 'feed'],
    ['no media', [], 'feed'],
  ] as const)('depends on the media by default: %s', (_, media, placement) => {
    expect(placementOf(undefined, media)).toBe(placement);
    expect(placementOf('story', media)).toBe('story');
  });
});

describe('a post as a whole', () => {
  const post: PostSummary = {
    caption: '',
    media: [],
    options: {},
    firstComment: null,
    isReply: false,
  };
  const codesIn = (change: Partial<PostSummary>) =>
    facebook.rules.check({ ...post, ...change }).map(({ code }) => code);

  test.each<[string, Partial<PostSummary>, string[]]>([
    ['a text', { caption: 'Hello' }, []],
    ['a reel without media', { options: reel }, ['media_required']],
    ['a reel with text', { caption: 'Hello', options: reel, media: [video] }, []],
    ['a story without media', { options: story }, ['media_required']],
    [
      'a story with text',
      { caption: 'Hello', options: story, media: [image] },
      ['caption_ignored'],
    ],
    [
      'a story with a comment',
      { firstComment: 'First', options: story, media: [image] },
      ['comments_not_supported'],
    ],
  ])('%s', (_, change, codes) => {
    expect(codesIn(change)).toEqual(codes);
  });

  test('may be a story with a text, but gets a warning', () => {
    const [finding] = facebook.rules.check({
      ...post,
      caption: 'Hello',
      options: story,
      media: [image],
    });
    expect(finding).toMatchObject({ at: 'caption', isWarning: true });
  });
});

describe('options', () => {
  test.each([
    { placement: 'wall' },
    { link: 'ftp://example.com' },
    { link: 'https://example.com', placement: 'reel' },
    { link: 'https://example.com', placement: 'story' },
    { published: false },
  ])('%o are refused', (given) => {
    expect(facebook.options.safeParse(given).success).toBe(false);
  });

  test('can name the feed with a link', () => {
    const given = { link: 'https://example.com', placement: 'feed' };
    expect(facebook.options.safeParse(given).success).toBe(true);
  });
});

describe('the text', () => {
  test.each([
    ['a'.repeat(63_206), []],
    ['a'.repeat(63_207), ['caption_too_long']],
    // Nobody knows how Facebook counts, so an emoji counts as two.
    ['😀'.repeat(31_603), []],
    [`${'😀'.repeat(31_603)}a`, ['caption_too_long']],
    [' ', ['caption_required']],
  ])('%.10s… has the issues %o', (text, codes) => {
    expect(checkText(facebook, text, { path: ['caption'] }).map(({ code }) => code)).toEqual(codes);
  });
});
