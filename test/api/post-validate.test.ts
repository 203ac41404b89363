// Validating a post: what creation would say, said before, with warnings besides.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createPlatforms } from '../../activities/platforms/index.ts';
import type { PostVerdict } from '../../schema/posts.ts';
import { createTestRest, type TestKey, type TestRest } from '../support/rest.ts';
import { createSimulatedNetwork } from '../support/simulated-network.ts';

let rest: TestRest;
let mine: TestKey;
let account: string;
let anothers: string;

const { refresh: _, ...unrenewable } = createSimulatedNetwork().platform;

beforeAll(async () => {
  rest = await createTestRest(
    {},
    {
      platforms: createPlatforms([
        {
          ...unrenewable,
          rules: {
            ...unrenewable.rules,
            isTextRequired: true,
            replies: { id: /^\d+$/, example: '42' },
          },
        },
      ]),
    },
  );
  mine = await rest.createTenant();
  account = await insertAccount(mine.projectId);
  anothers = await insertAccount((await rest.createTenant()).projectId);
});
afterAll(() => rest[Symbol.asyncDispose]());

afterEach(async () => {
  for (const table of ['posts', 'outbox', 'changes', 'idempotency_keys', 'account_usage']) {
    const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(rest.context.db);
    expect([table, rows.length]).toEqual([table, 0]);
  }
});

async function insertAccount(
  projectId: string,
  columns: { token_expires_at?: Date } = {},
): Promise<string> {
  const id = await rest.insertAccount(projectId);
  await rest.context.db
    .updateTable('social_accounts')
    .set({ platform: 'sandbox', ...columns })
    .where('id', '=', id)
    .execute();
  return id;
}

async function validate(body: object): Promise<PostVerdict> {
  const answer = await rest.call('POST', '/v1/posts/validate', { key: mine.key, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data;
}

function inHours(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000);
}

describe('POST /v1/posts/validate', () => {
  test('finds nothing wrong with a good post, and writes nothing', async () => {
    expect(await validate({ caption: 'a', account_ids: [account] })).toEqual({
      valid: true,
      errors: [],
      warnings: [],
    });
  });

  test('says of each fault where it is, of which target, and what is allowed', async () => {
    const { valid, errors } = await validate({
      caption: 'a',
      scheduled_at: '2020-01-01T00:00:00Z',
      platform_posts: [
        { account_id: account, caption: 'x'.repeat(5_001) },
        { account_id: anothers },
      ],
    });
    expect(valid).toBe(false);
    expect(errors).toEqual([
      {
        platform_post_index: null,
        account_id: null,
        platform: null,
        field: 'scheduled_at',
        code: 'too_soon',
        message: 'must be at least 60 seconds ahead',
        actual: '2020-01-01T00:00:00Z',
        limit: 60,
        severity: 'error',
      },
      {
        platform_post_index: 0,
        account_id: account,
        platform: 'sandbox',
        field: 'platform_posts[0].caption',
        code: 'caption_too_long',
        message: 'sandbox takes 5000 characters at most.',
        actual: 5_001,
        limit: 5_000,
        severity: 'error',
      },
      {
        platform_post_index: 1,
        account_id: anothers,
        platform: null,
        field: 'platform_posts[1].account_id',
        code: 'unknown_account',
        message: 'No account has this id.',
        actual: null,
        limit: null,
        severity: 'error',
      },
    ]);
  });

  test.each<[string, () => object]>([
    ['no targets', () => ({ caption: 'a' })],
    ['both target forms', () => ({ caption: 'a', account_ids: [account], platform_posts: [] })],
    ['an account twice', () => ({ caption: 'a', account_ids: [account, account] })],
    ['no caption', () => ({ account_ids: [account] })],
    [
      'a thread with a hole',
      () => ({
        caption: 'a',
        platform_posts: [0, 2].map((thread_position) => ({ account_id: account, thread_position })),
      }),
    ],
    [
      'much at once',
      () => ({
        caption: 'a',
        media_urls: ['a.jpg'],
        platform_posts: [
          { account_id: account, in_reply_to: 'x', first_comment: ' ' },
          { account_id: 'sa_unknown' },
        ],
      }),
    ],
  ])('finds in a post with %s what creation refuses', async (_, toBody) => {
    const body = toBody();
    const created = await rest.call('POST', '/v1/posts', { key: mine.key, body });
    expect(created.status).toBe(422);
    const { valid, errors } = await validate(body);
    expect(valid).toBe(false);
    expect(
      errors.map(({ field, code, message, actual, limit }) => ({
        path: field,
        code,
        message,
        ...(actual === null ? {} : { actual }),
        ...(limit === null ? {} : { limit }),
      })),
    ).toEqual(created.body.error.issues);
  });

  test('foresees the refusal of targets past the monthly limit, of a draft none', async () => {
    const { key, projectId } = await rest.createTenant();
    const only = await insertAccount(projectId);
    await rest.context.db
      .updateTable('projects')
      .set({ monthly_posts_per_account: 1 })
      .where('id', '=', projectId)
      .execute();
    const body = {
      caption: 'a',
      platform_posts: [1, 0].map((thread_position) => ({
        account_id: only,
        thread_position,
        caption: `part ${thread_position}`,
      })),
    };
    const ask = async (path: string, more: object = {}) =>
      rest.call('POST', path, { key, body: { ...body, ...more } });
    const refused = await ask('/v1/posts');
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'quota_exceeded' } } });
    const { data } = (await ask('/v1/posts/validate')).body;
    const [issue] = refused.body.error.issues;
    expect(data).toEqual({
      valid: false,
      errors: [
        {
          platform_post_index: 0,
          account_id: only,
          platform: 'sandbox',
          field: issue.path,
          code: 'quota_exceeded',
          message: issue.message,
          actual: 2,
          limit: 1,
          severity: 'error',
        },
      ],
      warnings: [],
    });
    expect((await ask('/v1/posts/validate', { status: 'draft' })).body.data.valid).toBe(true);
  });

  test('refuses what is no post at all, as creation does', async () => {
    const body = { caption: 7, captoin: 'a' };
    const answer = await rest.call('POST', '/v1/posts/validate', { key: mine.key, body });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path: 'caption' }, { path: 'captoin' }]);
  });

  test('asks for the scope of creation', async () => {
    const { key } = await rest.createTenant({ scopes: ['posts:read'] });
    const answer = await rest.call('POST', '/v1/posts/validate', {
      key,
      body: { caption: 'a', account_ids: [account] },
    });
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
  });
});

describe('a warning', () => {
  test('tells of access that ends before the post is due, where only the user renews it', async () => {
    const expiresAt = inHours(2);
    const leaving = await insertAccount(mine.projectId, { token_expires_at: expiresAt });
    const post = (hours: number) => ({
      caption: 'a',
      account_ids: [account, leaving],
      scheduled_at: inHours(hours).toISOString(),
    });
    expect((await validate(post(1))).warnings).toEqual([]);
    const late = post(3);
    const { valid, warnings } = await validate(late);
    expect(valid).toBe(true);
    expect(warnings).toEqual([
      {
        platform_post_index: 1,
        account_id: leaving,
        platform: 'sandbox',
        field: 'account_ids[1]',
        code: 'access_expires_first',
        message: expect.stringContaining('connect it again'),
        actual: expiresAt.toISOString(),
        limit: late.scheduled_at,
        severity: 'warning',
      },
    ]);
  });

  test('tells of parts of a thread with one text', async () => {
    const { warnings } = await validate({
      caption: 'a',
      platform_posts: [
        { account_id: account, thread_position: 0 },
        { account_id: account, thread_position: 1, caption: 'b' },
        { account_id: account, thread_position: 2 },
      ],
    });
    expect(warnings).toMatchObject([
      { platform_post_index: 2, field: 'platform_posts[2].caption', code: 'repeated_text' },
    ]);
  });
});
