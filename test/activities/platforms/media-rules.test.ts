// The rules of a network for media: what is refused, what is fitted, and how.
import { describe, expect, test } from 'vitest';
import {
  checkMedia,
  mediaRulesOf,
  planFit,
  type MediaFacts,
} from '../../../activities/platforms/media-rules.ts';
import type { MediaRules } from '../../../schema/platforms/definition.ts';
import { sandbox } from '../../../schema/platforms/sandbox.ts';

const rules: MediaRules = {
  max: 4,
  canMix: false,
  image: {
    max: 4,
    types: ['image/jpeg', 'image/png'],
    maxBytes: 1_000_000,
    maxWidth: 2_000,
    maxHeight: 2_000,
    minWidth: 100,
    minHeight: 100,
    minRatio: 0.5,
    maxRatio: 2,
  },
  video: {
    max: 1,
    types: ['video/mp4'],
    maxBytes: 50_000_000,
    minDurationMs: 1_000,
    maxDurationMs: 60_000,
  },
  altText: 10,
};

const image: MediaFacts = {
  kind: 'image',
  contentType: 'image/jpeg',
  bytes: 500_000,
  width: 1_200,
  height: 800,
  durationMs: null,
  altText: null,
  url: null,
};
const video: MediaFacts = {
  ...image,
  kind: 'video',
  contentType: 'video/mp4',
  durationMs: 30_000,
};

const place = { path: ['media'], pathOf: (i: number) => ['media', i], autoFit: true };

function codesOf(media: MediaFacts[], change: Partial<MediaRules> = {}, autoFit = true) {
  const meaning = checkMedia('Net', { ...rules, ...change }, media, { ...place, autoFit });
  return {
    errors: meaning.errors.map(({ path, code }) => [path.join('.'), code]),
    warnings: meaning.warnings.map(({ path, code }) => [path.join('.'), code]),
  };
}

const fine = { errors: [], warnings: [] };

describe('media that fit', () => {
  test.each([
    ['none', []],
    ['one image', [image]],
    ['four images', [image, image, image, image]],
    ['a video', [video]],
    ['media that have not arrived', [{ ...image, kind: null, contentType: null, bytes: null }]],
    ['an alt text within the limit', [{ ...image, altText: '😀'.repeat(10) }]],
  ])('%s', (_, media) => {
    expect(codesOf(media)).toEqual(fine);
  });
});

describe('media that are refused', () => {
  test.each<[string, MediaFacts[], Partial<MediaRules>, string, string]>([
    ['too many', [image, image, image, image, image], {}, 'media', 'too_many_media'],
    ['too many of a kind', [video, video], {}, 'media', 'too_many_media'],
    ['both kinds', [image, video], {}, 'media', 'media_mix_not_supported'],
    ['a kind', [video], { video: null }, 'media.0', 'media_kind_not_supported'],
    ['a file without URL', [image], { needsUrl: true }, 'media.0', 'media_url_required'],
    [
      'a long alt text',
      [{ ...image, altText: 'x'.repeat(11) }],
      {},
      'media.0.alt_text',
      'alt_text_too_long',
    ],
    [
      'a small image',
      [image, { ...image, width: 99, height: 80 }],
      {},
      'media.1',
      'media_too_small',
    ],
    ['a flat image', [{ ...image, height: 500 }], {}, 'media.0', 'media_ratio_not_supported'],
    [
      'a video type',
      [{ ...video, contentType: 'video/webm' }],
      {},
      'media.0',
      'media_type_not_supported',
    ],
    ['a large video', [{ ...video, bytes: 50_000_001 }], {}, 'media.0', 'media_too_large'],
    ['a short video', [{ ...video, durationMs: 999 }], {}, 'media.0', 'media_too_short'],
    ['a long video', [{ ...video, durationMs: 60_001 }], {}, 'media.0', 'media_too_long'],
    [
      'an animation, which would lose its movement',
      [{ ...image, contentType: 'image/gif' }],
      {},
      'media.0',
      'media_type_not_supported',
    ],
  ])('%s', (_, media, change, path, code) => {
    expect(codesOf(media, change).errors).toEqual([[path, code]]);
  });

  test.each<[string, MediaFacts, string | number, string | number]>([
    ['a large video', { ...video, bytes: 50_000_001 }, 50_000_001, 50_000_000],
    ['a short video', { ...video, durationMs: 999 }, 999, 1_000],
    ['a long video', { ...video, durationMs: 60_001 }, 60_001, 60_000],
    ['a video type', { ...video, contentType: 'video/webm' }, 'video/webm', 'video/mp4'],
    ['a small image', { ...image, width: 99, height: 80 }, '99 × 80', '100 × 100'],
    ['a flat image', { ...image, height: 500 }, 2.4, '0.5 to 2'],
  ])('%s, with the actual value and the limit', (_, facts, actual, limit) => {
    const { errors } = checkMedia('Net', rules, [facts], place);
    expect(errors).toMatchObject([{ path: ['media', 0], actual, limit }]);
  });

  test('any media if the network accepts none', () => {
    const { errors } = checkMedia('Net', null, [image], place);
    expect(errors).toMatchObject([{ code: 'media_not_supported', actual: 1, limit: 0 }]);
  });
});

test.each([
  ['both dimensions', { maxWidth: 100, maxHeight: 200 }, '100 × 200 pixels'],
  ['the width', { maxWidth: 100 }, '100 pixels in width'],
  ['the height', { maxHeight: 200 }, '200 pixels in height'],
])('an issue names a limit of %s', (_, limits, limit) => {
  const limited = { ...rules, image: { max: 4, types: ['image/jpeg'], ...limits } };
  const { errors } = checkMedia('Net', limited, [image], { ...place, autoFit: false });
  const message = `Net accepts images of at most ${limit}.`;
  expect(errors).toMatchObject([{ code: 'media_too_wide', message }]);
});

const large: [string, Partial<MediaFacts>, string][] = [
  ['type', { contentType: 'image/webp' }, 'media_type_not_supported'],
  ['size', { bytes: 1_000_001 }, 'media_too_large'],
  ['width', { width: 2_001, height: 1_500 }, 'media_too_wide'],
];

describe('an image that breaks a rule', () => {
  test.each(large)('is fitted, with a warning, if its %s is wrong', (_, change) => {
    const facts = { ...image, ...change };
    expect(codesOf([facts])).toEqual({ errors: [], warnings: [['media.0', 'media_fitted']] });
    expect(planFit(rules.image!, facts)).toEqual({
      contentType: 'image/jpeg',
      maxBytes: 1_000_000,
      maxWidth: 2_000,
      maxHeight: 2_000,
      maxPixels: null,
    });
  });

  test.each(large)('is refused without auto_fit if its %s is wrong', (_, change, code) => {
    expect(codesOf([{ ...image, ...change }], {}, false)).toEqual({
      errors: [['media.0', code]],
      warnings: [],
    });
  });
});

test('an image that fits needs no plan, and a plan keeps the type of an image', () => {
  expect(planFit(rules.image!, image)).toBeNull();
  const png = { ...image, contentType: 'image/png', width: 3_000, height: 2_000 };
  expect(planFit(rules.image!, png)).toMatchObject({ contentType: 'image/png' });
});

describe('a thumbnail', () => {
  const shown = { video: { ...rules.video!, hasThumbnail: true } };
  const ignored = { errors: [], warnings: [['media.0.thumbnail_id', 'thumbnail_ignored']] };
  test.each<[string, MediaFacts, Partial<MediaRules>, object]>([
    ['is accepted for a video if the network shows it', video, shown, fine],
    [
      'is accepted for a file that has not arrived if the network shows it',
      { ...video, kind: null },
      shown,
      fine,
    ],
    ['gets a warning for a video if the network shows none', video, {}, ignored],
    [
      'gets a warning for a file that has not arrived if the network shows none',
      { ...video, kind: null },
      {},
      ignored,
    ],
    ['gets a warning for an image', image, shown, ignored],
  ])('%s', (_, facts, change, expected) => {
    expect(codesOf([{ ...facts, hasThumbnail: true }], change)).toEqual(expected);
  });
});

describe('a chosen frame', () => {
  const shown = { video: { ...rules.video!, hasThumbnailFrame: true } };
  const path = 'media.0.thumbnail_at_ms';
  const ignored = { errors: [], warnings: [[path, 'thumbnail_ignored']] };
  const beyond = { errors: [[path, 'thumbnail_beyond_end']], warnings: [] };
  const durationMs = 5_000;
  test.each<[string, MediaFacts, Partial<MediaRules>, object]>([
    ['is accepted at the end of a video', { ...video, thumbnailAtMs: durationMs }, shown, fine],
    ['is refused after the end', { ...video, thumbnailAtMs: durationMs + 1 }, shown, beyond],
    ['gets a warning if the network shows none', { ...video, thumbnailAtMs: 0 }, {}, ignored],
    ['gets a warning for an image', { ...image, thumbnailAtMs: 0 }, shown, ignored],
  ])('%s', (_, facts, change, expected) => {
    const given = facts.kind === 'video' ? { ...facts, durationMs } : facts;
    expect(codesOf([given], change)).toEqual(expected);
  });
});

test('a network that ignores alt texts of videos still gets alt texts of images', () => {
  const given = [
    { ...image, altText: 'a cat' },
    { ...video, altText: 'a film' },
  ];
  expect(codesOf(given, { canMix: true, isAltTextOfImages: true })).toEqual({
    errors: [],
    warnings: [['media.1.alt_text', 'alt_text_ignored']],
  });
});

test('rules may depend on the options', () => {
  const small = { ...rules, max: 1 };
  const media = {
    ...rules,
    withOptions: ({ placement }: Record<string, unknown>) =>
      placement === 'story' ? small : rules,
  };
  const network = { ...sandbox, rules: { ...sandbox.rules, media } };
  expect(mediaRulesOf(network, { placement: 'story' }).rules).toBe(small);
  expect(mediaRulesOf(network, {}).rules).toBe(rules);
});

test('an alt text that the network ignores is a warning', () => {
  expect(codesOf([{ ...image, altText: 'a cat' }], { altText: null })).toEqual({
    errors: [],
    warnings: [['media.0.alt_text', 'alt_text_ignored']],
  });
});

test.each([
  ['one byte', { maxBytes: 1 }],
  ['one pixel', { maxPixels: 1 }],
  ['a width of one', { maxWidth: 1 }],
  ['a height of one', { maxHeight: 1 }],
])('an image is refused, not fitted, if a server accepts only %s', (_, limit) => {
  const absurd = { ...rules, image: { max: 4, types: ['image/jpeg'], ...limit } };
  const { errors, warnings } = checkMedia('Net', absurd, [image], place);
  expect(errors).toMatchObject([{ limit: expect.anything() }]);
  expect(warnings).toEqual([]);
});
