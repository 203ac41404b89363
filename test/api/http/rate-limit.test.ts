// The rate limit: a bucket per project that refills over a minute.
import { describe, expect, test } from 'vitest';
import { createRateLimiter, RateLimited } from '../../../api/http/rate-limit.ts';
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

  test('has no limit if it is 0', () => {
    expect(createRateLimiter(0)('a')).toBeNull();
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
