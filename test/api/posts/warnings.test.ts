// What validating a post warns of, though creation would take it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createJudge, type Judge } from '../../support/checks/validation.ts';
import { inSeconds } from '../../support/rows/posts.ts';

let judge: Judge;
let account: string;
const validate = (body: object) => judge.validate(body);

beforeAll(async () => {
  judge = await createJudge();
  account = await judge.insertAccount(judge.projectId);
});
afterAll(() => judge[Symbol.asyncDispose]());
afterEach(() => judge.expectNothingWritten());

describe('a warning', () => {
  test('tells of access that ends before the post is due, where only the user renews it', async () => {
    const expiresAt = new Date(inSeconds(7_200));
    const leaving = await judge.insertAccount(judge.projectId, { token_expires_at: expiresAt });
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
