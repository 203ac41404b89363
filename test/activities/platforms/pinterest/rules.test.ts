// What a post to Pinterest may have, before anything is sent.
import { describe, expect, test } from 'vitest';
import type { MediaFacts } from '../../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { pinterest } from '../../../../schema/platforms/pinterest.ts';
import { findMediaIssues, image, times, video } from '../../../support/checks/media-issues.ts';

describe('media', () => {
  test.each<[string, MediaFacts[], string[]]>([
    ['an image', [image], []],
    ['5 images', times(5, image), []],
    ['6 images', times(6, image), ['too_many_media']],
    ['an image and a video', [image, video], ['media_mix_not_supported']],
    ['two videos', [video, video], ['too_many_media']],
    ['a PNG', [{ ...image, contentType: 'image/png' }], []],
    ['a WebP', [{ ...image, contentType: 'image/webp' }], ['media_type_not_supported']],
    ['20 MB', [{ ...image, bytes: 20_000_000 }], []],
    ['more than 20 MB', [{ ...image, bytes: 20_000_001 }], ['media_too_large']],
    ['a video of 4 seconds', [{ ...video, durationMs: 4_000 }], []],
    ['a shorter one', [{ ...video, durationMs: 3_999 }], ['media_too_short']],
    ['a video of 15 minutes', [{ ...video, durationMs: 900_000 }], []],
    ['a longer one', [{ ...video, durationMs: 900_001 }], ['media_too_long']],
    ['a video of 2 GB', [{ ...video, bytes: 2_000_000_000 }], []],
    ['a larger one', [{ ...video, bytes: 2_000_000_001 }], ['media_too_large']],
    ['a video of 1:2', [{ ...video, width: 540, height: 1_080 }], []],
    ['a taller one', [{ ...video, width: 500, height: 1_080 }], ['media_ratio_not_supported']],
    ['an alt text of 500 characters', [{ ...image, altText: '😀'.repeat(500) }], []],
    ['a longer one', [{ ...image, altText: 'a'.repeat(501) }], ['alt_text_too_long']],
  ])('%s', (_, media, codes) => {
    expect(findMediaIssues(pinterest, media).errorCodes).toEqual(codes);
  });

  test('are required', () => {
    const post = { caption: 'a', options: {}, firstComment: null, isReply: false };
    expect(pinterest.rules.check({ ...post, media: [] })).toMatchObject([
      { at: 'media', code: 'media_required' },
    ]);
    expect(pinterest.rules.check({ ...post, media: [image] })).toEqual([]);
  });

  test('can have a thumbnail, or a frame, if they are a video', () => {
    const chosen = { hasThumbnail: true, thumbnailAtMs: 1_000 };
    expect(findMediaIssues(pinterest, [{ ...video, ...chosen }]).warningCodes).toEqual([]);
  });
});

describe('options', () => {
  const board_id = '549755885175';

  test.each([
    {},
    { board_id: null },
    { board_id: 'brass-bands' },
    { board_id, board_section_id: '' },
    { board_id, title: '' },
    { board_id, title: '😀'.repeat(101) },
    { board_id, link: 'example.com' },
    { board_id, link: `https://example.com/${'a'.repeat(2_040)}` },
    { board_id, dominant_color: '6E7874' },
    { board_id, note: 'a' },
  ])('%o are refused', (given) => {
    expect(pinterest.options.safeParse(given).success).toBe(false);
  });

  test.each([
    { board_id },
    { board_id, title: '😀'.repeat(100) },
    { board_id, link: `https://example.com/${'a'.repeat(2_028)}` },
    { board_id, dominant_color: '#6e7874' },
  ])('%o are taken', (given) => {
    expect(pinterest.options.parse(given)).toEqual(given);
  });
});

describe('the text', () => {
  test.each([
    ['a'.repeat(800), []],
    ['a'.repeat(801), ['caption_too_long']],
    ['😀'.repeat(800), []],
    ['', []],
  ])('%.10s… has the issues %o', (text, codes) => {
    const found = checkText(pinterest, text, { path: ['caption'] });
    expect(found.map(({ code }) => code)).toEqual(codes);
  });
});
