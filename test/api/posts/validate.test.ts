// Validating a post reports the issues of its creation.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createValidator, type Validator } from '../../support/checks/validator.ts';

let validator: Validator;
let account: string;
let anothers: string;
const validate = (body: object) => validator.validate(body);

beforeAll(async () => {
  validator = await createValidator();
  account = await validator.insertAccount(validator.projectId);
  anothers = await validator.insertAccount((await validator.rest.createTenant()).projectId);
});
afterAll(() => validator[Symbol.asyncDispose]());
afterEach(() => validator.expectNothingWritten());

describe('POST /v1/posts/validate', () => {
  test('finds nothing wrong with a good post, and writes nothing', async () => {
    expect(await validate({ caption: 'a', account_ids: [account] })).toEqual({
      valid: true,
      errors: [],
      warnings: [],
    });
  });

  test('holds each account to its own limits', async () => {
    const small = await validator.insertAccount(validator.projectId, { traits: { textMax: 3 } });
    const { errors } = await validate({ caption: 'four', account_ids: [small, account] });
    expect(errors).toMatchObject([
      { account_id: small, code: 'caption_too_long', actual: 4, limit: 3 },
    ]);
  });

  test('reports the path, the target and the limit of each issue', async () => {
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
        path: 'scheduled_at',
        field: 'scheduled_at',
        code: 'too_soon',
        message: 'must be at least 60 seconds in the future',
        actual: '2020-01-01T00:00:00Z',
        limit: 60,
        severity: 'error',
      },
      {
        platform_post_index: 0,
        account_id: account,
        platform: 'sandbox',
        path: 'platform_posts[0].caption',
        field: 'platform_posts[0].caption',
        code: 'caption_too_long',
        message: 'Sandbox takes 5000 characters at most.',
        actual: 5_001,
        limit: 5_000,
        severity: 'error',
      },
      {
        platform_post_index: 1,
        account_id: anothers,
        platform: null,
        path: 'platform_posts[1].account_id',
        field: 'platform_posts[1].account_id',
        code: 'unknown_account',
        message: 'No account has this ID.',
        actual: null,
        limit: null,
        severity: 'error',
      },
    ]);
  });

  test.each<[string, () => object]>([
    ['no targets', () => ({ caption: 'a' })],
    [
      'both target forms',
      () => ({ caption: 'a', account_ids: [account], platform_posts: [{ account_id: account }] }),
    ],
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
  ])('finds in a post with %s the issues of creation', async (_, toBody) => {
    const body = toBody();
    const created = await validator.rest.call('POST', '/v1/posts', { key: validator.key, body });
    expect(created.status).toBe(422);
    const { valid, errors } = await validate(body);
    expect(valid).toBe(false);
    expect(errors).toEqual(created.body.error.issues);
  });

  test('foresees the refusal of targets past the monthly limit, except for a draft', async () => {
    const { key, projectId } = await validator.rest.createTenant();
    const only = await validator.insertAccount(projectId);
    await validator.rest.context.db
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
      validator.rest.call('POST', path, { key, body: { ...body, ...more } });
    const refused = await ask('/v1/posts');
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'quota_exceeded' } } });
    const { data } = (await ask('/v1/posts/validate')).body;
    const [issue] = refused.body.error.issues;
    expect(issue).toMatchObject({ code: 'quota_exceeded', account_id: only, actual: 2, limit: 1 });
    expect(data).toEqual({
      valid: false,
      errors: [issue],
      warnings: [],
    });
    expect((await ask('/v1/posts/validate', { status: 'draft' })).body.data.valid).toBe(true);
  });

  test('refuses a malformed post, as creation does', async () => {
    const body = { caption: 7, captoin: 'a' };
    const answer = await validator.rest.call('POST', '/v1/posts/validate', {
      key: validator.key,
      body,
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path: 'caption' }, { path: 'captoin' }]);
  });

  test('requires the scope of creation', async () => {
    const { key } = await validator.rest.createTenant({ scopes: ['posts:read'] });
    const answer = await validator.rest.call('POST', '/v1/posts/validate', {
      key,
      body: { caption: 'a', account_ids: [account] },
    });
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
  });
});
