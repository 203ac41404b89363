// A stored post in the form of the dashboard, and what is sent of its changes.
import { describe, expect, test } from 'vitest';
import type {
  EditedPostData,
  NetworkRules,
} from '../../../api/dashboard/app/compose/compose-documents.ts';
import { changesOf } from '../../../api/dashboard/app/api/changes.ts';
import { toInput, type Draft } from '../../../api/dashboard/app/compose/draft.ts';
import { placeOf } from '../../../api/dashboard/app/compose/issues/issue-places.ts';
import { readStoredPost, withAccountsOf } from '../../../api/dashboard/app/compose/stored-post.ts';

type Result = EditedPostData['results'][number];

const options = {
  properties: {
    visibility: { type: 'string', enum: ['public', 'private'] },
    title: { type: 'string' },
  },
};
const rulesOf = (platform: string, threads: boolean) => ({ platform, options, threads });
const rules = [rulesOf('MASTODON', true), rulesOf('LINKEDIN', false)] as unknown as NetworkRules[];

const picture = {
  mediaId: 'med_1',
  altText: 'A dot',
  url: null,
  thumbnailId: 'med_2',
  thumbnailAtMs: null,
  media: { id: 'med_1', url: null, kind: 'VIDEO', filename: 'dot.mp4' },
} as const;

function target(id: string, own: Partial<Result> = {}): Result {
  return {
    id,
    platform: 'MASTODON',
    accountName: 'ada',
    socialAccountId: 'sa_ada',
    caption: 'Hello',
    threadPosition: null,
    inReplyTo: null,
    defaulted: [],
    firstComment: null,
    media: [picture],
    ...own,
  };
}

function stored(results: Result[], ofTargets: Record<string, Record<string, unknown>> = {}) {
  const post: EditedPostData = {
    id: 'post_1',
    revision: 1,
    status: 'SCHEDULED',
    caption: 'Hello',
    labels: ['spring'],
    scheduledAt: '2030-01-01T08:00:00Z',
    schedule: { local: '2030-01-01T09:00:00', timezone: 'Europe/Berlin' },
    media: [picture],
    results,
  };
  const read = results.map(({ id }) => ({ id, platformOptions: ofTargets[id] ?? null }));
  const found = readStoredPost({ post, rules, options: { post: { results: read } } });
  const accounts = withAccountsOf(post, []);
  const inputOf = (draft: Draft) => toInput({ draft, media: found.media, accounts, rules });
  return { ...found, inputOf };
}

const inThread = (id: string, threadPosition: number, own: Partial<Result> = {}) =>
  target(id, { threadPosition, media: [], caption: `Part ${threadPosition}`, ...own });

describe('a stored post', () => {
  test('without a change sends nothing', () => {
    const { draft, inputOf } = stored([target('res_1')]);
    expect(changesOf(inputOf(draft), inputOf({ ...draft }))).toEqual({});
  });

  test('sends all targets when one of them changes, with what the form does not show', () => {
    const results = [
      target('res_1', {
        inReplyTo: '42',
        defaulted: ['visibility'],
        firstComment: { id: 'res_3', text: 'First' },
      }),
      target('res_2', {
        platform: 'LINKEDIN',
        socialAccountId: 'sa_bob',
        caption: 'Dear all',
        media: [],
      }),
    ];
    const { draft, inputOf } = stored(results, {
      res_1: { __typename: 'M', M_visibility: 'PRIVATE', M_title: 'Old' },
      res_2: { __typename: 'L', L_visibility: 'PUBLIC', L_title: null },
    });
    const ada = draft.accounts['sa_ada']!;
    const changed = { ...draft.accounts, sa_ada: { ...ada, options: { title: 'New' } } };
    expect(changesOf(inputOf(draft), inputOf({ ...draft, accounts: changed }))).toEqual({
      platformPosts: [
        {
          accountId: 'sa_ada',
          inReplyTo: '42',
          firstComment: 'First',
          platformOptions: { mastodon: { title: 'New' } },
        },
        {
          accountId: 'sa_bob',
          caption: 'Dear all',
          media: [],
          platformOptions: { linkedin: { visibility: 'PUBLIC' } },
        },
      ],
    });
  });

  test('keeps the still images of its videos', () => {
    const { draft, inputOf } = stored([target('res_1')]);
    const media = [{ id: 'med_1', altText: 'A dot', thumbnailId: 'med_2' }];
    expect(inputOf(draft).media).toEqual(media);
  });

  test('has the parts of its thread, each with its position', () => {
    const first = inThread('res_1', 1, { caption: 'Hello', media: [picture] });
    const { draft, inputOf, areTargetsFixed } = stored([first, inThread('res_2', 2)], {
      res_1: { __typename: 'M', M_visibility: 'PRIVATE', M_title: 'Once' },
      res_2: { __typename: 'M', M_visibility: 'PRIVATE', M_title: null },
    });
    expect(areTargetsFixed).toBe(false);
    expect(draft.parts).toEqual([{ key: 'res_2', caption: 'Part 2' }]);
    const input = inputOf(draft);
    expect(input.platformPosts).toEqual([
      {
        accountId: 'sa_ada',
        platformOptions: { mastodon: { visibility: 'PRIVATE', title: 'Once' } },
        threadPosition: 1,
      },
      {
        accountId: 'sa_ada',
        caption: 'Part 2',
        media: [],
        platformOptions: { mastodon: { visibility: 'PRIVATE' } },
        threadPosition: 2,
      },
    ]);
    const place = (path: string) => placeOf(input, path, ['res_2']);
    expect(place('input.platformPosts[1].caption')).toBe('parts.res_2.caption');
    expect(place('input.platformPosts[0].caption')).toBe('accounts.sa_ada.caption');
    expect(place('input.platformPosts[0].accountId')).toBe('accounts.sa_ada');
    expect(place('input.platformPosts[0].platformOptions.mastodon.visibility')).toBe(
      'accounts.sa_ada.options.visibility',
    );
    expect(place('input.platformPosts')).toBe('accounts');
    expect(place('input.media[0].altText')).toBe('media.0.altText');
  });

  test.each([
    ['parts of different texts', { socialAccountId: 'sa_bob', caption: 'Another' }, {}],
    ['options of a later part', { socialAccountId: 'sa_bob', caption: 'Part 2' }, { M_title: 'x' }],
  ])('with %s keeps its targets as they are', (_, own, ofPart) => {
    const results = [
      inThread('res_1', 1),
      inThread('res_2', 2),
      inThread('res_3', 1, { socialAccountId: 'sa_bob' }),
      inThread('res_4', 2, own),
    ];
    const found = stored(results, { res_4: { __typename: 'M', ...ofPart } });
    expect(found.areTargetsFixed).toBe(true);
    expect(found.draft.accounts).toEqual({});
  });
});
