// Threads, answers, first comments and media of a post: how they are stored, shown and found again.
import { beforeAll, describe, expect, test } from 'vitest';
import type { PostResultRow } from '../../../schema/database/tables.ts';
import {
  conclude,
  createStarted,
  eventsOf,
  failTarget,
  publishTarget,
  useAuthor,
} from '../../support/rows/posts.ts';
import { type TestKey, useRest } from '../../support/app/rest.ts';

let mine: TestKey;
let ada: string;
let bob: string;

const rest = useRest({ FANFARE_PREVIEW_EVENTS: 'true' });
const author = useAuthor(rest);
beforeAll(async () => {
  mine = await rest.createTenant();
  [ada, bob] = [await insertSandbox('user_ada'), await insertSandbox('user_bob')];
});

const insertSandbox = (external_user_id: string) =>
  rest.insertAccount(mine.projectId, { platform: 'sandbox', external_user_id });

async function create(body: object, status = 202) {
  const answer = await rest.call('POST', '/v1/posts', {
    key: mine.key,
    body: { caption: 'main', ...body },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  const read = await rest.call('GET', `/v1/posts/${answer.body.data.id}`, { key: mine.key });
  expect(read.body.data).toEqual(answer.body.data);
  return answer.body.data;
}

/** All rows of the post, in the order of their positions. */
function readRows(postId: string): Promise<PostResultRow[]> {
  return rest.context.db
    .selectFrom('post_results')
    .selectAll()
    .where('post_id', '=', postId)
    .orderBy('position')
    .execute();
}

describe('a thread', () => {
  test('has a result for each part, each a reply to the part before it', async () => {
    const post = await create({
      platform_posts: [1, 2, 3].map((thread_position) => ({
        account_id: ada,
        thread_position,
        caption: `part ${thread_position}`,
      })),
    });
    const results = post.results.map((result: Record<string, unknown>) => [
      result['thread_position'],
      result['caption'],
    ]);
    expect(results).toEqual([
      [1, 'part 1'],
      [2, 'part 2'],
      [3, 'part 3'],
    ]);
    const [first, second, third] = await readRows(post.id);
    expect([first, second, third].map((row) => row!.answers_result_id)).toEqual([
      null,
      first!.id,
      second!.id,
    ]);
  });

  test('is put in order, without moving the targets beside it', async () => {
    const post = await create({
      platform_posts: [
        { account_id: ada, thread_position: 2, caption: 'ada 2' },
        { account_id: bob, thread_position: 1, caption: 'bob 1' },
        { account_id: ada, thread_position: 0, caption: 'ada 0' },
        { account_id: bob, thread_position: 0, caption: 'bob 0' },
        { account_id: ada, thread_position: 1, caption: 'ada 1' },
      ],
    });
    expect(post.results.map(({ caption }: { caption: string }) => caption)).toEqual([
      'ada 0',
      'bob 0',
      'ada 1',
      'bob 1',
      'ada 2',
    ]);
    const rows = await readRows(post.id);
    const answers = (row: PostResultRow) =>
      rows.find(({ id }) => id === row.answers_result_id)?.caption ?? null;
    expect(rows.map(answers)).toEqual([null, null, 'ada 0', 'bob 0', 'ada 1']);
  });

  test('may begin with an answer to another post', async () => {
    const post = await create({
      platform_posts: [
        { account_id: ada, thread_position: 0, in_reply_to: '0mg3k2x1a9' },
        { account_id: ada, thread_position: 1, caption: 'more' },
      ],
    });
    expect(post.results).toMatchObject([{ in_reply_to: '0mg3k2x1a9' }, { in_reply_to: null }]);
  });
});

describe('a first comment', () => {
  test('is shown inside its result and is no result itself', async () => {
    const post = await create({
      platform_posts: [
        { account_id: ada, first_comment: 'link below' },
        { account_id: bob, media_urls: ['https://example.com/b.jpg'] },
      ],
    });
    expect(post.results).toMatchObject([
      {
        social_account_id: ada,
        first_comment: {
          id: expect.stringMatching(/^res_/),
          text: 'link below',
          status: 'pending',
          external_id: null,
          error_code: null,
        },
      },
      { social_account_id: bob, first_comment: null },
    ]);
  });

  test('is stored for each part of a thread, after all targets and without their media and options', async () => {
    const post = await create({
      media_urls: ['https://example.com/a.jpg'],
      platform_posts: [
        {
          account_id: ada,
          thread_position: 0,
          first_comment: 'on 0',
          platform_options: { delay_ms: 1 },
        },
        { account_id: ada, thread_position: 1, caption: 'more', first_comment: 'on 1' },
      ],
    });
    const rows = await readRows(post.id);
    const [first, second] = rows;
    expect(rows.slice(2)).toMatchObject([
      { kind: 'comment', caption: 'on 0', answers_result_id: first!.id, position: 2 },
      { kind: 'comment', caption: 'on 1', answers_result_id: second!.id, position: 3 },
    ]);
    for (const row of rows.slice(2)) {
      expect(row).toMatchObject({ media: [], platform_options: {}, usage_month: null });
    }
    expect(second!.answers_result_id).toBe(first!.id);
    expect(post.results).toHaveLength(2);
  });

  test('is in the result of its target in an event, as in the post', async () => {
    const [ada, bob] = author.accounts;
    const platform_posts = [
      { account_id: ada, thread_position: 1 },
      { account_id: ada, thread_position: 2, first_comment: 'more' },
      { account_id: bob, first_comment: 'never sent' },
    ];
    const { id } = await createStarted(rest, author, { platform_posts });
    const rows = await readRows(id);
    for (const { id } of rows.slice(0, 2)) await publishTarget(rest, id);
    for (const { id } of rows.slice(2)) await failTarget(rest, id);
    await conclude(rest, id);

    const event = (await eventsOf(rest, id)).at(-1)!;
    expect(event.kind).toBe('post.partial');
    const post = await author.read(id);
    expect(post).toMatchObject({ results: event.data.results });
    for (const result of event.data.results) {
      expect(Object.keys(result)).toEqual([
        'id',
        'social_account_id',
        'platform',
        'account_name',
        'thread_position',
        'status',
        'external_id',
        'url',
        'visibility',
        'published_at',
        'edited_at',
        'unpublished_at',
        'error_code',
        'error_message',
        'error_hint',
        'failure_stage',
        'is_retriable',
        'next_action',
        'first_comment',
        'steps',
      ]);
    }
    const error_hint = expect.any(String) as string;
    expect(event.data.results).toMatchObject([
      { status: 'published', thread_position: 1, next_action: 'none', first_comment: null },
      { thread_position: 2, first_comment: { text: 'more', status: 'failed', error_hint } },
      { status: 'failed', error_hint, first_comment: { text: 'never sent', status: 'failed' } },
    ]);
  });
});

describe('media', () => {
  const [a, b] = ['https://example.com/a.jpg', 'http://example.com/b.jpg'];

  test('are those of the post unless the target names its own media, or an empty list', async () => {
    const post = await create({
      media_urls: [a, b],
      platform_posts: [
        { account_id: ada, thread_position: 0 },
        { account_id: ada, thread_position: 1, caption: 'more', media_urls: [b] },
        { account_id: bob, media_urls: [] },
      ],
    });
    expect(post.media_urls).toEqual([a, b]);
    expect(post.results.map(({ media_urls }: { media_urls: string[] }) => media_urls)).toEqual([
      [a, b],
      [b],
      [],
    ]);
  });

  test('can be as many as the network accepts', async () => {
    const post = await create({ media_urls: [a, a, a, b], account_ids: [ada] });
    expect(post.results[0].media_urls).toHaveLength(4);
  });
});

describe('GET /v1/posts', () => {
  test('finds a post with a thread and comments once, by each filter', async () => {
    const before = new Date(Date.now() - 1_000).toISOString();
    const eve = await insertSandbox('user_eve');
    const post = await create({
      platform_posts: [
        { account_id: eve, thread_position: 0, first_comment: 'one' },
        { account_id: eve, thread_position: 1, caption: 'more', first_comment: 'two' },
      ],
    });
    const find = async (query: string) => {
      const { body } = await rest.call('GET', `/v1/posts?${query}`, { key: mine.key });
      return body.data
        .filter(({ id }: { id: string }) => id === post.id)
        .map(({ results }: { results: unknown[] }) => results.length);
    };
    const after = new Date(Date.now() + 60_000).toISOString();
    for (const query of [
      'platform=sandbox',
      `social_account_id=${eve}`,
      'external_user_id=user_eve',
      'status=pending',
      `from=${before}&to=${after}`,
    ]) {
      expect([query, await find(query)]).toEqual([query, [2]]);
    }
    for (const query of [
      'platform=bluesky',
      `social_account_id=${ada}`,
      'external_user_id=user_ada',
      'status=published',
      `from=${after}`,
      `to=${before}`,
    ]) {
      expect([query, await find(query)]).toEqual([query, []]);
    }
  });
});
