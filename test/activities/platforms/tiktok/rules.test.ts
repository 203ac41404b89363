// What TikTok accepts from a creator: options by what the creator may choose, media, and texts.
import { describe, expect, test } from 'vitest';
import { checkMedia, mediaRulesOf } from '../../../../activities/platforms/media-rules.ts';
import { check } from '../../../../api/http/validation.ts';
import type { Traits } from '../../../../schema/platforms/definition.ts';
import { tiktok } from '../../../../schema/platforms/tiktok.ts';
import { consentOfTest as consent } from '../../../support/networks/tiktok/subject.ts';

const direct = { privacy_level: 'SELF_ONLY', consent };

const issuesOf = (given: object, traits: Traits = {}) =>
  check(tiktok.optionsFor(traits), given).issues.map(({ path, code }) => [path.join('.'), code]);

describe('options', () => {
  test.each<[string, object, string[][]]>([
    ['a choice and the consent', direct, []],
    ['no choice', { consent }, [['privacy_level', 'required']]],
    ['no consent', { privacy_level: 'SELF_ONLY' }, [['consent', 'required']]],
    ['neither, for the inbox', { mode: 'inbox' }, []],
    [
      'a consent without a preview',
      { ...direct, consent: { ...consent, previewed: false } },
      [['consent.previewed', 'invalid']],
    ],
    [
      'a consent in the future',
      { ...direct, consent: { ...consent, accepted_at: '2999-01-01T00:00:00Z' } },
      [['consent.accepted_at', 'invalid']],
    ],
    [
      'a paid partnership that only the creator sees',
      { ...direct, paid_partnership: true },
      [['paid_partnership', 'not_private']],
    ],
    ['an own brand that only the creator sees', { ...direct, promotes_own_brand: true }, []],
    ['a title of 90 units', { ...direct, title: '😀'.repeat(45) }, []],
    ['a longer title', { ...direct, title: '😀'.repeat(46) }, [['title', 'too_big']]],
  ])('with %s', (_, given, issues) => {
    expect(issuesOf(given)).toEqual(issues);
  });

  test('offer only the privacy levels that the creator has', () => {
    const traits = { privacy_levels: 'FOLLOWER_OF_CREATOR,SELF_ONLY' };
    expect(issuesOf(direct, traits)).toEqual([]);
    const level = { privacy_level: 'PUBLIC_TO_EVERYONE' };
    expect(issuesOf({ ...direct, ...level }, traits)).toEqual([['privacy_level', 'invalid_value']]);
  });

  test.each(['comment', 'duet', 'stitch'])('refuse %ss that the creator turned off', (what) => {
    const option = `allow_${what}`;
    const traits = { [`${what}_disabled`]: true };
    expect(issuesOf({ ...direct, [option]: true }, traits)).toEqual([
      [option, 'interaction_disabled'],
    ]);
    expect(issuesOf({ ...direct, [option]: false }, traits)).toEqual([]);
  });

  test('have only the modes that the login allows', () => {
    const mode = [['mode', 'permission_missing']];
    expect(issuesOf(direct, { can_publish: false })).toEqual(mode);
    expect(issuesOf({ mode: 'inbox' }, { can_publish: false })).toEqual([]);
    expect(issuesOf({ mode: 'inbox' }, { can_upload: false })).toEqual(mode);
  });

  test('belong to each post: the choice and the consent can have no default', () => {
    const { shape } = tiktok.options;
    const names = Object.entries(shape).filter(
      ([, option]) =>
        option.meta()?.['x-no-default'] === true || option.def.innerType.meta()?.['x-no-default'],
    );
    expect(names.map(([name]) => name)).toEqual(['privacy_level', 'consent']);
    expect(shape.privacy_level.meta()?.['x-choices']).toBe('privacy_levels');
  });
});

const video = {
  kind: 'video' as const,
  contentType: 'video/mp4',
  bytes: 10_000_000,
  width: 1_080,
  height: 1_920,
  durationMs: 30_000,
  altText: null,
  url: null,
};
const photo = { ...video, kind: 'image' as const, contentType: 'image/jpeg', durationMs: null };

function mediaIssues(
  media: object[],
  given: Record<string, unknown> = direct,
  traits: Traits = {},
) {
  const rules = tiktok.rulesFor(traits);
  const { title, rules: own } = mediaRulesOf({ title: 'TikTok', rules }, given);
  const place = {
    path: ['media'],
    pathOf: (i: number) => ['media', i],
    autoFit: false,
    options: { path: ['platform_options'], given },
  };
  const facts = media as (typeof video)[];
  const found = rules.check({
    caption: '',
    media: facts,
    options: given,
    firstComment: null,
    isReply: false,
  });
  const { errors } = checkMedia(title, own, facts, place);
  return [...found, ...errors].map(({ code }) => code);
}

describe('media', () => {
  test.each<[string, object[], string[]]>([
    ['nothing', [], ['media_required']],
    ['a video', [video], []],
    ['two videos', [video, video], ['too_many_media']],
    ['35 photos', Array.from({ length: 35 }, () => photo), []],
    ['36 photos', Array.from({ length: 36 }, () => photo), ['too_many_media']],
    ['a video and a photo', [video, photo], ['media_mix_not_supported']],
    ['a PNG', [{ ...photo, contentType: 'image/png' }], ['media_type_not_supported']],
    ['a large photo', [{ ...photo, bytes: 20_000_001 }], ['media_too_large']],
    ['a photo above 1080p', [{ ...photo, width: 1_921 }], ['media_too_wide']],
    ['a short video', [{ ...video, durationMs: 2_999 }], ['media_too_short']],
    ['a long video', [{ ...video, durationMs: 600_001 }], ['media_too_long']],
    ['a small video', [{ ...video, width: 359 }], ['media_too_small']],
    ['a wide video', [{ ...video, width: 4_097 }], ['media_too_wide']],
    ['a large video', [{ ...video, bytes: 4_000_000_001 }], ['media_too_large']],
  ])('%s', (_, media, codes) => {
    expect(mediaIssues(media).toSorted()).toEqual(codes.toSorted());
  });

  test('a direct video has what the creator may publish, and a draft has 10 minutes', () => {
    const long = [{ ...video, durationMs: 61_000 }];
    expect(mediaIssues(long, direct, { max_video_s: 60 })).toEqual(['media_too_long']);
    expect(mediaIssues(long, { mode: 'inbox' }, { max_video_s: 60 })).toEqual([]);
  });

  test.each([
    ['photos', photo, { allow_duet: true }],
    ['photos', photo, { allow_stitch: false }],
    ['photos', photo, { made_with_ai: true }],
    ['a video', video, { title: 'Title' }],
    ['a video', video, { auto_add_music: true }],
  ])('%s refuse options of others: %o %o', (_, file, given) => {
    expect(mediaIssues([file], { ...direct, ...given })).toEqual(['option_not_supported']);
  });

  test('a draft has no options of direct posts', () => {
    const given = { mode: 'inbox', allow_comment: true, privacy_level: 'SELF_ONLY' };
    expect(mediaIssues([video], given)).toEqual(['option_not_supported', 'option_not_supported']);
  });
});
