// Warnings of validation, about posts that creation accepts, and those of a changed post.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestAnswer } from '../../support/app/rest.ts';
import { createValidator, type Validator } from '../../support/checks/validator.ts';
import { addGrant } from '../../support/rows/grants.ts';
import { inSeconds } from '../../support/rows/posts.ts';

let validator: Validator;
let account: string;
const validate = (body: object) => validator.validate(body);

beforeAll(async () => {
  validator = await createValidator();
  account = await validator.insertAccount(validator.projectId);
});
afterAll(() => validator[Symbol.asyncDispose]());
/** Its access ends in two hours. */
async function addLeavingAccount() {
  const expiresAt = new Date(inSeconds(7_200));
  const { projectId, rest } = validator;
  const grant_id = await addGrant(rest.context.db, { projectId, tokenExpiresAt: expiresAt });
  return { leaving: await validator.insertAccount(projectId, { grant_id }), expiresAt };
}

describe('a warning', () => {
  afterEach(() => validator.expectNothingWritten());

  test('reports access that ends before the post is due, if only the user can renew it', async () => {
    const { leaving, expiresAt } = await addLeavingAccount();
    const post = (hours: number) => ({
      caption: 'a',
      account_ids: [account, leaving],
      scheduled_at: inSeconds(hours * 3_600),
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
        path: 'account_ids[1]',
        field: 'account_ids[1]',
        code: 'access_expires_first',
        message: expect.stringContaining('connecting the account again'),
        actual: expiresAt.toISOString(),
        limit: late.scheduled_at,
        severity: 'warning',
      },
    ]);
  });

  test('reports parts of a thread with the same text', async () => {
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

test('a changed post is checked for the time when it is due', async () => {
  const { leaving } = await addLeavingAccount();
  const { rest, key } = validator;
  const codesOf = ({ body }: TestAnswer) =>
    body.warnings.map(({ field, code }: { field: string; code: string }) => [field, code]);
  const soon = { scheduled_at: inSeconds(3_600) };
  const post = { caption: 'a', account_ids: [leaving], ...soon };
  const { body } = await rest.call('POST', '/v1/posts', { key, body: post });
  const change = async (changes: object) =>
    codesOf(await rest.call('PATCH', `/v1/posts/${body.data.id}`, { key, body: changes }));
  expect(await change({ caption: 'b' })).toEqual([]);
  const expected = [['platform_posts[0].account_id', 'access_expires_first']];
  expect(await change({ scheduled_at: inSeconds(10_800) })).toEqual(expected);
  expect(await change({ caption: 'c' })).toEqual(expected);
  expect(await change(soon)).toEqual([]);
});
