// The rate limit: a bucket per project that refills over a minute.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRateLimiter, RateLimited } from '../../../api/http/rate-limit.ts';
import { startApp } from '../../support/app/app.ts';
import { createTestRest } from '../../support/app/rest.ts';

describe('createRateLimiter', () => {
  test('allows a minute of requests at once, then one per refill', () => {
    let now = 0;
    const take = createRateLimiter(60, () => now);
    for (let left = 59; left >= 0; left--) {
      expect(take('a')).toMatchObject({ limit: 60, remaining: left });
    }
    expect(() => take('a')).toThrow(RateLimited);
    expect(take('b')).toMatchObject({ remaining: 59 });
    now = 999;
    expect(() => take('a')).toThrow(RateLimited);
    now = 1_000;
    expect(take('a')).toEqual({ limit: 60, remaining: 0, resetS: 60 });
    now = 3_600_000;
    expect(take('a')).toMatchObject({ remaining: 59, resetS: 1 });
  });

  test('takes all further tokens of a request at once, or none of them', () => {
    let now = 0;
    const take = createRateLimiter(60, () => now);
    take('a');
    expect(take('a', 50, 1)).toMatchObject({ remaining: 10 });
    take('a');
    const refused = refusalOf(() => take('a', 20, 1));
    expect(refused.rateLimit).toMatchObject({ remaining: 9 });
    expect(refused.options.retryAfterS).toBe(11);
    expect(take('a', 0)).toMatchObject({ remaining: 9 });
    now = 11_000;
    take('a');
    expect(take('a', 20, 1)).toMatchObject({ remaining: 0 });
  });

  test('takes no more than a full bucket for one request', () => {
    const take = createRateLimiter(10, () => 0);
    take('a');
    expect(take('a', 50, 1)).toMatchObject({ remaining: 0 });
    take('b');
    take('b');
    expect(refusalOf(() => take('b', 50, 1)).options.retryAfterS).toBe(12);
    expect(take('b', 9, 1)).toMatchObject({ remaining: 0 });
  });

  test('has no limit if it is 0', () => {
    expect(createRateLimiter(0)('a')).toBeNull();
  });
});

function refusalOf(take: () => unknown): RateLimited {
  try {
    take();
  } catch (error) {
    if (error instanceof RateLimited) return error;
  }
  throw new Error('nothing was refused');
}

describe('a post of a bulk request counts as a request', () => {
  // The buckets don't refill.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const many = <T>(count: number, post: T) => Array<T>(count).fill(post);

  test('in REST', async () => {
    await using rest = await createTestRest({ FANFARE_RATE_LIMIT_PER_MINUTE: '60' });
    const { key, projectId } = await rest.createTenant();
    const post = {
      caption: 'x',
      status: 'draft',
      account_ids: [await rest.insertAccount(projectId)],
    };
    const send = (count: number) =>
      rest.call('POST', '/v1/posts/bulk', { key, body: { posts: many(count, post) } });
    const first = await send(50);
    expect(first.status).toBe(200);
    expect(first.body.data[49].status).toBe(201);
    expect(first.headers.get('RateLimit-Remaining')).toBe('10');
    const second = await send(40);
    expect(second).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(second.headers.get('Retry-After')).toBe('31');
    expect(second.headers.get('RateLimit-Remaining')).toBe('9');
    expect((await send(5)).status).toBe(200);
    const { count } = await rest.context.db
      .selectFrom('posts')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(55);
  });

  test('in GraphQL, and so does each further mutation or validation of a document', async () => {
    await using app = await startApp({
      roles: { api: true, worker: false },
      env: { FANFARE_RATE_LIMIT_PER_MINUTE: '66' },
    });
    const { id: account } = await app.tenant.connectSandbox('ada');
    const post = { caption: 'x', status: 'DRAFT', accountIds: [account] };
    const ask = (query: string, input: object) => app.api.graphql(query, { input });
    const validations = Array.from(
      { length: 5 },
      (_, i) => `v${i}: validatePost(input: $input) { valid }`,
    );
    const validated = await ask(
      `query ($input: CreatePostInput!) { ${validations.join(' ')} }`,
      post,
    );
    expect(validated.headers.get('RateLimit-Remaining')).toBe('60');
    const createPosts =
      'mutation ($input: CreatePostsInput!) { createPosts(input: $input) { status } }';
    const first = await ask(createPosts, { posts: many(50, post) });
    expect(first.body.data.createPosts[49].status).toBe(201);
    expect(first.headers.get('RateLimit-Remaining')).toBe('10');
    const second = await ask(createPosts, { posts: many(40, post) });
    expect(second.body.data.createPosts).toBeNull();
    expect(second.body.errors[0].extensions).toMatchObject({ code: 'rate_limited' });
    const aliases = Array.from({ length: 30 }, (_, i) => `a${i}: createPost(input: $input) { id }`);
    const { body, headers } = await ask(
      `mutation ($input: CreatePostInput!) { ${aliases.join(' ')} }`,
      post,
    );
    expect(headers.get('RateLimit-Remaining')).toBe('0');
    const created = Object.values(body.data).filter((value) => value !== null);
    expect(created).toHaveLength(9);
  });
});

describe('a project that sends too many requests', () => {
  test('is 429 with the time to wait, with any of its API keys, while others are served', async () => {
    await using rest = await createTestRest({ FANFARE_RATE_LIMIT_PER_MINUTE: '2' });
    const { key, projectId } = await rest.createTenant();
    const second = await rest.createTenant({ projectId });
    const first = await rest.call('GET', '/v1/limits', { key });
    expect(first.body.data.requests_per_minute).toBe(2);
    expect(first.headers.get('RateLimit-Limit')).toBe('2');
    expect(first.headers.get('RateLimit-Remaining')).toBe('1');
    await rest.call('GET', '/v1/limits', { key: second.key });
    const third = await rest.call('POST', '/v1/webhooks', { key, raw: '{' });
    expect(third).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limited', is_retriable: true } },
    });
    expect(Number(third.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(third.headers.get('RateLimit-Remaining')).toBe('0');
    const other = await rest.createTenant();
    expect((await rest.call('GET', '/v1/limits', { key: other.key })).status).toBe(200);
  });
});
