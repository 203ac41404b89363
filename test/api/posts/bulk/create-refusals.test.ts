// Invalid items of a bulk request are refused at their position, and the other posts are created.
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestAnswer, type TestKey, useRest } from '../../../support/app/rest.ts';

let mine: TestKey;
let account: string;

const rest = useRest();
beforeAll(async () => {
  mine = await rest.createTenant();
  account = await rest.insertAccount(mine.projectId);
});

const post = (caption: string, more: object = {}) => ({
  caption,
  account_ids: [account],
  ...more,
});

/** The item as JSON between two posts that are sound. */
function sendBetween(item: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
  const raw = `{"posts":[${JSON.stringify(post('before'))},${item},${JSON.stringify(post('after'))}]}`;
  return rest.call('POST', '/v1/posts/bulk', {
    key: mine.key,
    raw,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

function create(body: object, idempotencyKey: string): Promise<TestAnswer> {
  const headers = { 'Idempotency-Key': idempotencyKey };
  return rest.call('POST', '/v1/posts', { key: mine.key, body, headers });
}

const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
const json = (more: object) => JSON.stringify({ caption: 'x', account_ids: ['x'], ...more });

describe('an item', () => {
  test.each([
    ['null', 'null', 'posts[1]', 'invalid_type'],
    ['true', 'true', 'posts[1]', 'invalid_type'],
    ['a text', '"post"', 'posts[1]', 'invalid_type'],
    ['a list', '[]', 'posts[1]', 'invalid_type'],
    ['a NUL', json({ caption: 'a\0' }), 'posts[1].caption', 'invalid_text'],
    ['half a pair', '{"caption":"\\ud800"}', 'posts[1].caption', 'invalid_text'],
    ['a NUL in a name', json({ metadata: { 'k\0': 'v' } }), '', 'invalid_text'],
    ['an unknown name with NUL', json({ 'k\0': 'v' }), '', 'unknown_field'],
    ['a member __proto__', '{"caption":"x","__proto__":{}}', '', 'unknown_field'],
    [
      'endless nesting',
      `{"platform_posts":[{"account_id":"x","platform_options":{"a":${deep}}}]}`,
      '',
      'too_deep',
    ],
  ])('is refused alone if it is or has %s', async (_, item, path, code) => {
    const answer = await sendBetween(item);
    expect(answer.status).toBe(200);
    const [before, refused, after] = answer.body.data;
    expect([before.status, refused.status, after.status]).toEqual([202, 422, 202]);
    const { issues } = refused.error;
    expect(issues.map((issue: { code: string }) => issue.code)).toContain(code);
    for (const issue of issues) expect(issue.path).toMatch(/^posts\[1\]/);
    if (path) expect(issues[0]).toMatchObject({ path, code });
  });

  test('is refused alone, even with an Idempotency-Key, if it is null', async () => {
    const headers = { 'Idempotency-Key': 'nulls' };
    const first = await sendBetween('null', headers);
    const statuses = (answer: TestAnswer) =>
      answer.body.data.map(({ status }: { status: number }) => status);
    expect(statuses(first)).toEqual([202, 422, 202]);
    expect((await sendBetween('null', headers)).body.data).toEqual(first.body.data);
  });

  test('must not have the key of the whole request', async () => {
    const item = JSON.stringify(post('own', { idempotency_key: 'whole' }));
    const answer = await sendBetween(item, { 'Idempotency-Key': 'whole' });
    expect(answer.body.data[1]).toMatchObject({
      status: 422,
      error: { issues: [{ path: 'posts[1].idempotency_key', code: 'duplicate' }] },
    });
    expect((await sendBetween(item, { 'Idempotency-Key': 'whole' })).body).toMatchObject({
      data: answer.body.data,
    });
  });

  test.each([
    ['beside the posts', '{"posts":[{"caption":"x"}],"a\\u0000":1}'],
    ['in place of them', '{"posts":"a\\u0000"}'],
  ])('NUL %s refuses the whole request', async (_, raw) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await rest.call('POST', '/v1/posts/bulk', { key: mine.key, raw, headers });
    expect(answer.status).toBe(422);
  });
});

describe('the key of a bulk request', () => {
  test('takes no other key that a single post can use', async () => {
    await sendBetween('null', { 'Idempotency-Key': 'K' });
    const keys = await rest.context.db
      .selectFrom('idempotency_keys')
      .select('key')
      .where('key', 'like', '%K%')
      .execute();
    // Those of the posts are longer than any client's may be.
    const ofClients = keys.map(({ key }) => key).filter((key) => key.length <= 255);
    expect(ofClients).toEqual(['K']);
    expect(keys).toHaveLength(3);
    for (const key of ['K/posts[0]', 'K/posts[2]']) {
      expect((await create(post('single'), key)).status).toBe(202);
    }
  });
});
