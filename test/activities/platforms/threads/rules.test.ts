// What a post to Threads may have, before anything is sent.
import { describe, expect, test } from 'vitest';
import type { MediaFacts } from '../../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { threads } from '../../../../schema/platforms/threads.ts';
import { findMediaIssues, image, times, video } from '../../../support/checks/media-issues.ts';

describe('media', () => {
  const poll = { options: ['Yes', 'No'] };

  test.each<[string, MediaFacts[], Record<string, unknown>, string[]]>([
    ['20 images and videos', [...times(10, image), ...times(10, video)], {}, []],
    ['21 images', times(21, image), {}, ['too_many_media']],
    ['a GIF', [{ ...image, contentType: 'image/gif' }], {}, ['media_type_not_supported']],
    ['a WebP', [{ ...image, contentType: 'image/webp' }], {}, ['media_type_not_supported']],
    ['8 MB', [{ ...image, bytes: 8_000_000 }], {}, []],
    ['more than 8 MB', [{ ...image, bytes: 8_000_001 }], {}, ['media_too_large']],
    ['a ratio of 10', [{ ...image, width: 1_000, height: 100 }], {}, []],
    ['a wider image', [{ ...image, width: 1_010, height: 100 }], {}, ['media_ratio_not_supported']],
    ['5 minutes', [{ ...video, durationMs: 300_000 }], {}, []],
    ['more than 5 minutes', [{ ...video, durationMs: 300_001 }], {}, ['media_too_long']],
    ['1,920 columns', [{ ...video, width: 1_920 }], {}, []],
    ['more columns', [{ ...video, width: 1_921 }], {}, ['media_too_wide']],
    ['a WebM', [{ ...video, contentType: 'video/webm' }], {}, ['media_type_not_supported']],
    ['an alt text of 1,000 characters', [{ ...image, altText: 'a'.repeat(1_000) }], {}, []],
    ['a longer one', [{ ...image, altText: 'a'.repeat(1_001) }], {}, ['alt_text_too_long']],
    ['a poll with an image', [image], { poll }, ['not_with_media']],
    [
      'a link with a video',
      [video],
      { link_attachment: 'https://example.com' },
      ['not_with_media'],
    ],
  ])('%s', (_, media, given, codes) => {
    expect(findMediaIssues(threads, media, given).errorCodes).toEqual(codes);
  });
});

describe('options', () => {
  test.each([
    { reply_control: 'nobody' },
    { topic_tag: '' },
    { topic_tag: 'a&b' },
    { topic_tag: 'a'.repeat(51) },
    { link_attachment: 'ftp://example.com' },
    { poll: { options: ['a'] } },
    { poll: { options: ['a', 'b', 'c', 'd', 'e'] } },
    { poll: { options: ['a', 'b'.repeat(26)] } },
    { poll: { options: ['a', 'b'] }, link_attachment: 'https://example.com' },
    { quote_post_id: 'https://www.threads.com/@ada/post/1' },
    { auto_publish_text: true },
  ])('%o are refused', (given) => {
    expect(threads.options.safeParse(given).success).toBe(false);
  });
});

describe('the text', () => {
  test.each([
    ['a'.repeat(500), []],
    ['a'.repeat(501), ['caption_too_long']],
    // Letters count as one, whatever their bytes.
    ['ä漢'.repeat(250), []],
    ['😀'.repeat(125), []],
    [`${'😀'.repeat(125)}a`, ['caption_too_long']],
    // 25 bytes.
    ['👩‍👩‍👧‍👧'.repeat(20), []],
    [`${'👩‍👩‍👧‍👧'.repeat(20)}a`, ['caption_too_long']],
    [' ', ['caption_required']],
  ])('%.10s… has the issues %o', (text, codes) => {
    expect(checkText(threads, text, { path: ['caption'] }).map(({ code }) => code)).toEqual(codes);
  });
});
