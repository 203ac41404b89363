// What a post to YouTube may have, before anything is sent.
import { describe, expect, test } from 'vitest';
import type { MediaFacts } from '../../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { countTags, youtube } from '../../../../schema/platforms/youtube.ts';
import {
  findMediaIssues,
  image,
  times,
  video as anyVideo,
} from '../../../support/checks/media-issues.ts';

const video: MediaFacts = { ...anyVideo };
const needed = { title: 'Brass', made_for_kids: false };

describe('media', () => {
  test.each<[string, MediaFacts[], string[]]>([
    ['a video', [video], []],
    ['two videos', times(2, video), ['too_many_media']],
    ['an image', [image], ['media_kind_not_supported']],
    ['a WebM', [{ ...video, contentType: 'video/webm' }], []],
    ['a QuickTime movie', [{ ...video, contentType: 'video/quicktime' }], []],
    ['256 GiB', [{ ...video, bytes: 274_877_906_944 }], []],
    ['more than 256 GiB', [{ ...video, bytes: 274_877_906_945 }], ['media_too_large']],
    ['12 hours', [{ ...video, durationMs: 43_200_000 }], []],
    ['more than 12 hours', [{ ...video, durationMs: 43_200_001 }], ['media_too_long']],
  ])('%s', (_, media, codes) => {
    expect(findMediaIssues(youtube, media).errorCodes).toEqual(codes);
  });
});

describe('the post', () => {
  const check = (caption: string, media: MediaFacts[]) =>
    youtube.rules
      .check({ caption, media, options: needed, firstComment: null, isReply: false })
      .map(({ at, code }) => `${at} ${code}`);

  test.each([
    ['', [video], []],
    ['Tuba & trumpet', [video], []],
    ['1 < 2', [video], ['caption invalid_characters']],
    ['2 > 1', [video], ['caption invalid_characters']],
    ['Hello', [], ['media media_required']],
  ])('%j', (caption, media, found) => {
    expect(check(caption, media)).toEqual(found);
  });

  test('has a description of at most 5,000 bytes', () => {
    const findIn = (text: string) => checkText(youtube, text, { path: ['caption'] });
    expect(findIn('ä'.repeat(2_500))).toEqual([]);
    expect(findIn('ä'.repeat(2_501))).toMatchObject([
      { code: 'caption_too_long', actual: 5_002, limit: 5_000 },
    ]);
    expect(findIn('')).toEqual([]);
  });
});

describe('tags', () => {
  test.each([
    [[], 0],
    [['tuba'], 4],
    [['Foo-Baz'], 7],
    [['Foo Baz'], 9],
    [['tuba', 'brass band', 'C'], 4 + 1 + 12 + 1 + 1],
  ])('%j count as %i characters', (tags, length) => {
    expect(countTags(tags)).toBe(length);
  });

  test.each([
    ['500 characters', ['a'.repeat(500)], true],
    ['501 characters', ['a'.repeat(501)], false],
    ['two tags of 499 characters and the comma', ['a'.repeat(250), 'b'.repeat(249)], true],
    ['two tags of 500 characters and the comma', ['a'.repeat(250), 'b'.repeat(250)], false],
    ['498 characters with a space', [`a ${'b'.repeat(496)}`], true],
    ['499 characters with a space', [`a ${'b'.repeat(497)}`], false],
    ['an empty tag', [''], false],
    ['a tag twice', ['tuba', 'tuba'], false],
  ])('%s', (_, tags, isGood) => {
    expect(youtube.options.safeParse({ ...needed, tags }).success).toBe(isGood);
  });
});

test.each([
  [{}, ['title', 'made_for_kids']],
  [{ title: 'a'.repeat(100), made_for_kids: true }, []],
  [{ title: 'a'.repeat(101), made_for_kids: true }, ['title']],
  [{ title: '  ', made_for_kids: true }, ['title']],
  [{ title: 'a < b', made_for_kids: true }, ['title']],
  [{ title: 'Brass', made_for_kids: 'no' }, ['made_for_kids']],
  [{ ...needed, visibility: 'friends' }, ['visibility']],
  [{ ...needed, category_id: '22' }, []],
  [{ ...needed, category_id: 22 }, ['category_id']],
])('the options %j have faults at %j', (given, paths) => {
  const issues = youtube.options.safeParse(given).error?.issues ?? [];
  expect(issues.map(({ path }) => path.join('.'))).toEqual(paths);
});
