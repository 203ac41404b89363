// What a post to LinkedIn may have, before anything is sent.
import { describe, expect, test } from 'vitest';
import type { MediaFacts } from '../../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { platformDefinitions } from '../../../../schema/platforms/index.ts';
import { linkedin } from '../../../../schema/platforms/linkedin.ts';
import {
  document,
  findMediaIssues,
  image,
  times,
  video,
} from '../../../support/checks/media-issues.ts';

describe('media', () => {
  const link = { url: 'https://example.com' };
  const poll = { question: 'Tea?', options: ['Yes', 'No'] };

  test.each<[string, MediaFacts[], Record<string, unknown>, string[]]>([
    ['20 images', times(20, image), {}, []],
    ['21 images', times(21, image), {}, ['too_many_media']],
    ['a GIF', [{ ...image, contentType: 'image/gif' }], {}, []],
    ['a WebP', [{ ...image, contentType: 'image/webp' }], {}, ['media_type_not_supported']],
    ['36,152,319 pixels', [{ ...image, width: 36_152_319, height: 1 }], {}, []],
    [
      '36,152,320 pixels',
      [{ ...image, width: 36_152_320, height: 1 }],
      {},
      ['media_too_many_pixels'],
    ],
    ['an image and a video', [image, video], {}, ['media_mix_not_supported']],
    ['two videos', [video, video], {}, ['too_many_media']],
    ['3 seconds', [{ ...video, durationMs: 3_000 }], {}, []],
    ['less than 3 seconds', [{ ...video, durationMs: 2_999 }], {}, ['media_too_short']],
    ['30 minutes', [{ ...video, durationMs: 1_800_000 }], {}, []],
    ['more than 30 minutes', [{ ...video, durationMs: 1_800_001 }], {}, ['media_too_long']],
    ['an alt text of 4,086 characters', [{ ...image, altText: 'a'.repeat(4_086) }], {}, []],
    ['a longer one', [{ ...image, altText: 'a'.repeat(4_087) }], {}, ['alt_text_too_long']],
    ['the picture of a link', [image], { link }, []],
    ['two pictures of a link', [image, image], { link }, ['too_many_media']],
    ['a video beside a link', [video], { link }, ['media_kind_not_supported']],
    ['a poll with an image', [image], { poll }, ['not_with_media']],
    ['a document', [document], { document_title: 'Plan' }, []],
    ['a document without a title', [document], {}, ['document_title_required']],
    [
      'two documents',
      [document, document],
      { document_title: 'Plan' },
      ['media_mix_not_supported'],
    ],
    [
      'a document and an image',
      [document, image],
      { document_title: 'Plan' },
      ['media_mix_not_supported'],
    ],
    [
      'a document over 100 MB',
      [{ ...document, bytes: 100_000_001 }],
      { document_title: 'Plan' },
      ['media_too_large'],
    ],
    [
      'a document beside a link',
      [document],
      { link, document_title: 'Plan' },
      ['media_kind_not_supported'],
    ],
    ['a poll with a document', [document], { poll, document_title: 'Plan' }, ['not_with_media']],
  ])('%s', (_, media, given, codes) => {
    expect(findMediaIssues(linkedin, media, given).errorCodes).toEqual(codes);
  });
});

describe('a document', () => {
  const others = platformDefinitions.filter(({ name }) => name !== 'linkedin');

  test.each(others)('is refused by $title in clear words', (other) => {
    const { errors } = findMediaIssues(other, [document]);
    expect(errors).toContainEqual(
      expect.objectContaining({
        code: 'media_kind_not_supported',
        message: `${other.title} doesn't accept documents.`,
      }),
    );
  });

  test('has no alt text and no thumbnail', () => {
    const given = { document_title: 'Plan' };
    const facts = { ...document, altText: 'A plan', hasThumbnail: true };
    const { errorCodes, warningCodes } = findMediaIssues(linkedin, [facts], given);
    expect([errorCodes, warningCodes]).toEqual([[], ['alt_text_ignored', 'thumbnail_ignored']]);
  });

  test.each([
    [[image], ['option_ignored']],
    [[], ['option_ignored']],
    [[document], []],
    [[{ ...document, kind: null }], []],
  ])('is needed for a title: %j', (media, codes) => {
    const post = { caption: 'a', firstComment: null, isReply: false, media };
    const options = { document_title: 'Plan' };
    const findings = linkedin.rules.check({ ...post, options });
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });
});

describe('options', () => {
  test.each([
    { link: { url: 'ftp://example.com' } },
    { link: { url: 'https://example.com', title: 'a'.repeat(401) } },
    { poll: { question: 'a'.repeat(141), options: ['a', 'b'] } },
    { poll: { question: 'a', options: ['a'] } },
    { poll: { question: 'a', options: ['a', 'b', 'c', 'd', 'e'] } },
    { poll: { question: 'a', options: ['a', 'b'.repeat(31)] } },
    { poll: { question: 'a', options: ['a', 'b'], duration: 'ONE_YEAR' } },
    { visibility: 'CONTAINER' },
    { link: { url: 'https://example.com' }, poll: { question: 'a', options: ['a', 'b'] } },
  ])('%o are refused', (given) => {
    expect(linkedin.options.safeParse(given).success).toBe(false);
  });
});

describe('the text', () => {
  test.each([
    ['a'.repeat(3_000), []],
    ['a'.repeat(3_001), ['caption_too_long']],
    // Escaping doesn't count.
    ['('.repeat(3_000), []],
    ['😀'.repeat(1_500), []],
    [`${'😀'.repeat(1_500)}a`, ['caption_too_long']],
    [' ', ['caption_required']],
  ])('%.10s… has the issues %o', (text, codes) => {
    expect(checkText(linkedin, text, { path: ['caption'] }).map(({ code }) => code)).toEqual(codes);
  });
});
