// The rate limit of each project: a token bucket that refills over a minute, in this process's memory.
import { LRUCache } from 'lru-cache';
import { AppError } from '../../schema/wire/errors.ts';
import type { Caller, Context } from './context.ts';

export interface RateLimit {
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetS: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

const maxBuckets = 10_000;

export class RateLimited extends AppError {
  readonly rateLimit: RateLimit;

  constructor(rateLimit: RateLimit, retryAfterS: number) {
    super('rate_limited', `The project sent more than ${rateLimit.limit} requests in a minute.`, {
      retryAfterS,
    });
    this.rateLimit = rateLimit;
  }
}

export function createRateLimiter(perMinute: number, now: () => number = Date.now) {
  // A forgotten bucket counts as full: at worst a project gets one more minute's worth.
  const buckets = new LRUCache<string, Bucket>({ max: maxBuckets });
  const msPerToken = 60_000 / perMinute;

  /** Null without a limit. Throws `rate_limited` if the bucket is empty. */
  return function take(projectId: string): RateLimit | null {
    if (perMinute === 0) return null;
    const at = now();
    const bucket = buckets.get(projectId) ?? { tokens: perMinute, atMs: at };
    bucket.tokens = Math.min(perMinute, bucket.tokens + (at - bucket.atMs) / msPerToken);
    bucket.atMs = at;
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    buckets.set(projectId, bucket);
    const rateLimit = {
      limit: perMinute,
      remaining: Math.floor(bucket.tokens),
      resetS: Math.ceil(((perMinute - bucket.tokens) * msPerToken) / 1000),
    };
    if (isAllowed) return rateLimit;
    throw new RateLimited(rateLimit, Math.ceil(((1 - bucket.tokens) * msPerToken) / 1000));
  };
}

const limiters = new WeakMap<Context, ReturnType<typeof createRateLimiter>>();

/** A project has one bucket in a process, for all its API keys and both APIs. */
export function takeRequest(context: Context, caller: Pick<Caller, 'projectId'>): RateLimit | null {
  const take = limiters.get(context) ?? createRateLimiter(context.config.rateLimitPerMinute);
  limiters.set(context, take);
  return take(caller.projectId);
}

export function rateLimitHeaders({ limit, remaining, resetS }: RateLimit): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
  };
}
