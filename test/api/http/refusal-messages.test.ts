// The messages and hints of refusals.
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestKey, useRest } from '../../support/app/rest.ts';

let mine: TestKey;
let account: string;

const rest = useRest({ FANFARE_MAX_TARGETS: '1' });
beforeAll(async () => {
  mine = await rest.createTenant();
  account = await rest.insertAccount(mine.projectId);
});

/** The message at each path. */
async function wordsFor(method: string, path: string, body: unknown) {
  const answer = await rest.call(method, path, { key: mine.key, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(422);
  const issues = answer.body.error.issues as { path: string; message: string }[];
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
}

const create = (body: object) => wordsFor('POST', '/v1/posts', body);

describe('a field in the wrong place', () => {
  const belongs = 'belongs in `platform_posts[]`';

  test('gets a hint where it belongs', async () => {
    const misplaced = {
      platform_options: {},
      first_comment: 'a',
      in_reply_to: 'b',
      thread_position: 1,
    };
    const words = {
      platform_options: belongs,
      first_comment: belongs,
      in_reply_to: belongs,
      thread_position: belongs,
    };
    expect(await create({ account_ids: [account], ...misplaced })).toEqual(words);
    expect(await wordsFor('PATCH', '/v1/posts/post_x', misplaced)).toEqual(words);
  });

  test('gets the hint for each target', async () => {
    const target = { account_id: account, scheduled_at: '2030-01-31T12:00:00Z', metadata: {} };
    expect(await create({ platform_posts: [target] })).toEqual({
      'platform_posts[0].scheduled_at': 'belongs beside `platform_posts`',
      'platform_posts[0].metadata': 'belongs beside `platform_posts`',
    });
  });

  test('gets no hint if no object has this field', async () => {
    expect(await create({ account_ids: [account], media_files: [], toString: 1 })).toEqual({
      media_files: 'is not a known field',
      toString: 'is not a known field',
    });
  });
});

describe('a time or a status', () => {
  const time = 'must be a time with a time zone as in RFC 3339, such as 2026-01-31T12:00:00Z';
  const status =
    'must be "draft". Without it, a post with a time is scheduled, and a new post without one is published now.';

  test('gets a hint with an alternative', async () => {
    const body = { scheduled_at: 1_900_000_000, status: 'scheduled' };
    expect(await create({ account_ids: [account], ...body })).toEqual({
      scheduled_at: time,
      status,
    });
    expect(await wordsFor('PATCH', '/v1/posts/post_x', body)).toEqual({
      scheduled_at: time,
      status,
    });
  });
});

describe('a URL', () => {
  const web = 'must be an `http` or `https` URL';

  test.each([
    ['POST', '/v1/connect/sessions', { return_url: 'myapp://done' }, web],
    ['POST', '/v1/connect/sessions', { return_url: 'javascript:alert(1)' }, web],
    ['POST', '/v1/connect/sessions', { return_url: 'app.example.com' }, web],
    ['PATCH', '/v1/project', { privacy_url: 'http://example.com/a' }, 'must be an `https` URL'],
  ])('is refused with the schemes: %s %s with %j', async (method, path, body, message) => {
    const needed = path.includes('connect') && { platform: 'sandbox', external_user_id: 'ada' };
    const [field] = Object.keys(body);
    expect(await wordsFor(method, path, { ...needed, ...body })).toEqual({ [field!]: message });
  });

  test('is refused with the schemes if it is in a list', async () => {
    const body = { return_origins: ['https://app.example.com', 'myapp://x'] };
    expect(await wordsFor('PATCH', '/v1/project', body)).toEqual({ 'return_origins[1]': web });
  });

  test('is refused with a hint if it has no domain name', async () => {
    expect(await wordsFor('PATCH', '/v1/project', { privacy_url: 'https://127.0.0.1/a' })).toEqual({
      privacy_url: 'must be an `https` URL with a domain name',
    });
  });
});

describe('a count in a message', () => {
  test('of one has a singular noun', async () => {
    const target = { account_id: account, first_comment: '' };
    expect(await create({ platform_posts: [target] })).toEqual({
      'platform_posts[0].first_comment': 'must have at least 1 character',
    });
    expect(await wordsFor('POST', '/v1/posts/bulk', { posts: [] })).toEqual({
      posts: 'must have at least 1 item',
    });
    expect(await create({ account_ids: [account, account] })).toEqual({
      account_ids: 'A post must have at most 1 target.',
    });
  });
});

describe('an account that is not connected', () => {
  test.each([
    ['disconnected', 'was disconnected'],
    ['reconnect_required', 'has lost its access'],
  ] as const)('%s: names the calls that connect it again', async (status, words) => {
    const lost = await rest.insertAccount(mine.projectId, { status });
    expect(await create({ caption: 'a', account_ids: [lost] })).toEqual({
      'account_ids[0]': `The account ${words}. Connect it again: \`POST /v1/accounts/connect\`, or for its user \`POST /v1/connect/sessions\`.`,
    });
  });
});
