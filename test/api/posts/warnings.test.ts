// Warnings of validation, about posts that creation accepts.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
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
afterEach(() => validator.expectNothingWritten());

describe('a warning', () => {
  test('reports access that ends before the post is due, if only the user can renew it', async () => {
    const expiresAt = new Date(inSeconds(7_200));
    const { projectId } = validator;
    const grant_id = await addGrant(validator.rest.context.db, {
      projectId,
      tokenExpiresAt: expiresAt,
    });
    const leaving = await validator.insertAccount(projectId, { grant_id });
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
