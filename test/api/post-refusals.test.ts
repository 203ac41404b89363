// What a post may not ask of its targets: refused with the exact path of each fault, nothing written.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createPlatforms } from '../../activities/platforms/index.ts';
import { createBluesky } from '../../activities/platforms/bluesky.ts';
import { createTestRest, type TestKey, type TestRest } from '../support/rest.ts';
import { createSimulatedNetwork } from '../support/simulated-network.ts';

let rest: TestRest;
let mine: TestKey;
/** Bluesky: answers, no media. */
let bluesky: string;
let other: string;
/** The simulated network: media, no answers. */
let mute: string;
let gone: string;

beforeAll(async () => {
  rest = await createTestRest(
    { FANFARE_MAX_TARGETS: '4' },
    {
      platforms: createPlatforms([
        createBluesky({ fetch, apiUrl: 'https://network.invalid' }),
        createSimulatedNetwork().platform,
      ]),
    },
  );
  mine = await rest.createTenant();
  bluesky = await rest.insertAccount(mine.projectId);
  other = await rest.insertAccount(mine.projectId);
  mute = await rest.insertAccount(mine.projectId);
  gone = await rest.insertAccount(mine.projectId);
  await setAccount(mute, { platform: 'sandbox' });
  await setAccount(gone, { status: 'disconnected' });
});
afterAll(() => rest[Symbol.asyncDispose]());

async function setAccount(id: string, columns: { platform?: 'sandbox'; status?: 'disconnected' }) {
  await rest.context.db.updateTable('social_accounts').set(columns).where('id', '=', id).execute();
}

afterEach(async () => {
  for (const table of ['posts', 'post_results', 'outbox', 'changes', 'idempotency_keys']) {
    const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(rest.context.db);
    expect([table, rows.length]).toEqual([table, 0]);
  }
});

interface Fault {
  path: string;
  code: string;
  message: string;
  actual?: string | number;
  limit?: string | number;
}

async function issuesOf(body: object): Promise<Fault[]> {
  const answer = await rest.call('POST', '/v1/posts', {
    key: mine.key,
    body: { caption: 'a', ...body },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(422);
  expect(answer.body.error).toMatchObject({ code: 'validation_error', is_retriable: false });
  return answer.body.error.issues;
}

type Row = [name: string, body: () => object, ...faults: [path: string, code: string][]];

function refuseAll(rows: Row[]): void {
  test.each(rows)('refuses %s', async (_, body, ...faults) => {
    const issues = await issuesOf(body());
    expect(issues.map(({ path, code }) => [path, code])).toEqual(faults);
  });
}

const parts = (...own: object[]) => ({
  platform_posts: own.map((part) => ({ account_id: bluesky, ...part })),
});
const single = (account_id: string, own: object) => ({ platform_posts: [{ account_id, ...own }] });

describe('threads', () => {
  refuseAll([
    [
      'an account twice without positions',
      () => parts({}, {}),
      ['platform_posts[1].account_id', 'duplicate_account'],
    ],
    [
      'a thread that begins at 2',
      () => parts({ thread_position: 2 }, { thread_position: 3 }),
      ['platform_posts[0].thread_position', 'thread_has_hole'],
    ],
    [
      'a hole',
      () => parts({ thread_position: 0 }, { thread_position: 1 }, { thread_position: 3 }),
      ['platform_posts[2].thread_position', 'thread_has_hole'],
    ],
    [
      'a hole, in whatever order the parts come',
      () => parts({ thread_position: 4 }, { thread_position: 1 }, { thread_position: 2 }),
      ['platform_posts[0].thread_position', 'thread_has_hole'],
    ],
    [
      'a position twice',
      () => parts({ thread_position: 1 }, { thread_position: 2 }, { thread_position: 1 }),
      ['platform_posts[2].thread_position', 'thread_position_repeated'],
    ],
    [
      'a part without a position',
      () => parts({ thread_position: 0 }, {}, { thread_position: 1 }),
      ['platform_posts[1].thread_position', 'thread_position_missing'],
    ],
    [
      'a hole in the thread of one account beside that of another',
      () => ({
        platform_posts: [
          { account_id: other, thread_position: 0 },
          { account_id: bluesky, thread_position: 0 },
          { account_id: bluesky, thread_position: 2 },
          { account_id: other, thread_position: 1 },
        ],
      }),
      ['platform_posts[2].thread_position', 'thread_has_hole'],
    ],
    [
      'a position that is no whole number',
      () => parts({ thread_position: 0.5 }),
      ['platform_posts[0].thread_position', 'invalid_type'],
    ],
    [
      'a position below 0',
      () => parts({ thread_position: -1 }),
      ['platform_posts[0].thread_position', 'too_small'],
    ],
    [
      'a thread where posts have no answers',
      () => single(mute, { thread_position: 0 }),
      ['platform_posts[0].thread_position', 'replies_not_supported'],
    ],
  ]);
});

describe('answers', () => {
  refuseAll([
    [
      'an answer to another post in the middle of a thread',
      () =>
        parts(
          { thread_position: 1, in_reply_to: 'at://did:plc:a/app.bsky.feed.post/1' },
          { thread_position: 2, in_reply_to: 'at://did:plc:a/app.bsky.feed.post/2' },
        ),
      ['platform_posts[1].in_reply_to', 'not_first_of_thread'],
    ],
    [
      'an answer where posts have none',
      () => single(mute, { in_reply_to: '17' }),
      ['platform_posts[0].in_reply_to', 'replies_not_supported'],
    ],
    [
      'an empty id',
      () => single(bluesky, { in_reply_to: '' }),
      ['platform_posts[0].in_reply_to', 'too_small'],
    ],
    [
      'a first comment where posts have no answers',
      () => single(mute, { first_comment: 'hi' }),
      ['platform_posts[0].first_comment', 'replies_not_supported'],
    ],
    [
      'an empty first comment',
      () => single(bluesky, { first_comment: '' }),
      ['platform_posts[0].first_comment', 'too_small'],
    ],
    [
      'a first comment of nothing but space',
      () => single(bluesky, { first_comment: ' \n' }),
      ['platform_posts[0].first_comment', 'comment_required'],
    ],
    [
      'a first comment that is longer than any may be',
      () => single(bluesky, { first_comment: 'x'.repeat(1_001) }),
      ['platform_posts[0].first_comment', 'too_big'],
    ],
    [
      'a first comment that is too long for the network',
      () => single(bluesky, { first_comment: 'x'.repeat(301) }),
      ['platform_posts[0].first_comment', 'comment_too_long'],
    ],
  ]);

  test('an id of a wrong form is answered with one of the right form', async () => {
    const [fault] = await issuesOf(single(bluesky, { in_reply_to: 'https://bsky.app/post/1' }));
    expect(fault).toMatchObject({
      path: 'platform_posts[0].in_reply_to',
      code: 'invalid_post_id',
      actual: 'https://bsky.app/post/1',
    });
    expect(fault!.message).toContain('at://did:plc:');
  });
});

describe('media', () => {
  const url = 'https://example.com/a.jpg';
  const many = Array.from({ length: 5 }, () => url);
  refuseAll([
    [
      'media where the network takes none',
      () => single(bluesky, { media_urls: [url] }),
      ['platform_posts[0].media_urls', 'media_not_supported'],
    ],
    [
      "the post's media where the network takes none, once for all its targets",
      () => ({ media_urls: [url], account_ids: [bluesky, other] }),
      ['media_urls', 'media_not_supported'],
    ],
    [
      'too many media of a target',
      () => single(mute, { media_urls: many }),
      ['platform_posts[0].media_urls', 'too_many_media'],
    ],
    [
      'too many media of the post',
      () => ({ media_urls: many, account_ids: [mute] }),
      ['media_urls', 'too_many_media'],
    ],
    [
      'URLs of a wrong form',
      () => ({
        media_urls: ['/a.jpg', 'ftp://example.com/a', `https://example.com/${'x'.repeat(2_048)}`],
        account_ids: [mute],
      }),
      ['media_urls[0]', 'invalid_url'],
      ['media_urls[1]', 'invalid_url'],
      ['media_urls[2]', 'too_long'],
    ],
    [
      'a URL with a password',
      () => single(mute, { media_urls: [url, 'https://me:secret@example.com/'] }),
      ['platform_posts[0].media_urls[1]', 'has_credentials'],
    ],
    [
      'a URL that is none',
      () => ({ media_urls: [7, ''], account_ids: [mute] }),
      ['media_urls[0]', 'invalid_type'],
    ],
    [
      'ids of media, which are not yet there',
      () => ({ media_ids: ['m_1'], account_ids: [mute] }),
      ['media_ids', 'unknown_field'],
    ],
  ]);

  test('the refusal of too many says how many were given and how many may be', async () => {
    const [fault] = await issuesOf(single(mute, { media_urls: many }));
    expect(fault).toMatchObject({ actual: 5, limit: 4 });
  });
});

describe('targets', () => {
  test('are as many as the configuration allows', async () => {
    const position = (_: unknown, i: number) => ({ thread_position: i });
    expect(await issuesOf(parts(...Array.from({ length: 5 }, position)))).toEqual([
      {
        path: 'platform_posts',
        code: 'too_many_targets',
        message: 'A post has at most 4 targets.',
        actual: 5,
        limit: 4,
      },
    ]);
  });

  test('must be connected', async () => {
    expect(await issuesOf({ account_ids: [bluesky, gone] })).toEqual([
      {
        path: 'account_ids[1]',
        code: 'account_not_active',
        message: 'The account is disconnected. Connect it again.',
        actual: 'disconnected',
      },
    ]);
  });

  test('take no options of another network, and are told whose they are', async () => {
    const options = { delay_ms: 5, langs: ['en'], colour: 'red' };
    const real = await createTestRest();
    try {
      const { key, projectId } = await real.createTenant();
      const account = await real.insertAccount(projectId);
      const answer = await real.call('POST', '/v1/posts', {
        key,
        body: {
          caption: 'a',
          platform_posts: [{ account_id: account, platform_options: options }],
        },
      });
      expect(answer.body.error.issues).toEqual([
        {
          path: 'platform_posts[0].platform_options.delay_ms',
          code: 'unknown_field',
          message: 'is an option of sandbox, not of bluesky, which takes langs, tags',
        },
        {
          path: 'platform_posts[0].platform_options.colour',
          code: 'unknown_field',
          message: 'is not an option of bluesky, which takes langs, tags',
        },
      ]);
    } finally {
      await real[Symbol.asyncDispose]();
    }
  });

  test('and the schedule are judged together', async () => {
    const issues = await issuesOf({
      scheduled_at: '2020-01-01T00:00:00Z',
      ...single(gone, {}),
    });
    expect(issues.map(({ path }) => path)).toEqual([
      'scheduled_at',
      'platform_posts[0].account_id',
    ]);
  });
});
