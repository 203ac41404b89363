// How often a project may ask: a bucket of requests that refills over a minute, in this process's memory.
import { AppError } from '../../schema/wire/errors.ts';
import type { Caller, Context } from '../server/context.ts';

export interface RateLimit {
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetS: number;
}

export interface RateLimiter {
  /** Null: there is no limit. Throws `rate_limited` when the bucket is empty. */
  take(projectId: string): RateLimit | null;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

const maxBuckets = 10_000;

export class RateLimited extends AppError {
  readonly rateLimit: RateLimit;

  constructor(rateLimit: RateLimit, retryAfterS: number) {
    super('rate_limited', `More than ${rateLimit.limit} requests in a minute.`, { retryAfterS });
    this.rateLimit = rateLimit;
  }
}

export function createRateLimiter(perMinute: number, now: () => number = Date.now): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const msPerToken = 60_000 / perMinute;

  function take(projectId: string): RateLimit | null {
    if (perMinute === 0) return null;
    const at = now();
    const bucket = buckets.get(projectId) ?? { tokens: perMinute, atMs: at };
    bucket.tokens = Math.min(perMinute, bucket.tokens + (at - bucket.atMs) / msPerToken);
    bucket.atMs = at;
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    // A forgotten bucket is a full one: at worst some projects get one more minute's worth.
    if (buckets.size >= maxBuckets) buckets.clear();
    buckets.set(projectId, bucket);
    const rateLimit = {
      limit: perMinute,
      remaining: Math.floor(bucket.tokens),
      resetS: Math.ceil(((perMinute - bucket.tokens) * msPerToken) / 1000),
    };
    if (isAllowed) return rateLimit;
    throw new RateLimited(rateLimit, Math.ceil(((1 - bucket.tokens) * msPerToken) / 1000));
  }
  return { take };
}

const limiters = new WeakMap<Context, RateLimiter>();

/** One bucket per project in a process: its API keys draw from the same, over REST and GraphQL. */
export function takeRequest(context: Context, caller: Pick<Caller, 'projectId'>): RateLimit | null {
  let limiter = limiters.get(context);
  if (!limiter) {
    limiter = createRateLimiter(context.config.rateLimitPerMinute);
    limiters.set(context, limiter);
  }
  return limiter.take(caller.projectId);
}

export function rateLimitHeaders({ limit, remaining, resetS }: RateLimit): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
  };
}
