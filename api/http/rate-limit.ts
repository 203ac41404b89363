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
    const message = `The project sent more than ${rateLimit.limit} requests in a minute. A bulk request counts once for each post.`;
    super('rate_limited', message, { retryAfterS });
    this.rateLimit = rateLimit;
  }
}

export function createRateLimiter(perMinute: number, now: () => number = Date.now) {
  // A dropped bucket counts as full, so at worst a project gets the requests of one more minute.
  const buckets = new LRUCache<string, Bucket>({ max: maxBuckets });
  const msPerToken = 60_000 / perMinute;

  /**
   * Consumes the tokens of a request that counts as `count` requests, of which `paid` are already paid. A
   * request never counts as more than a full bucket. Null without a limit. Throws `rate_limited`, and
   * consumes nothing, if there are too few tokens.
   */
  return function consume(projectId: string, count = 1, paid = 0): RateLimit | null {
    if (perMinute === 0) return null;
    const at = now();
    const bucket = buckets.get(projectId) ?? { tokens: perMinute, atMs: at };
    bucket.tokens = Math.min(perMinute, bucket.tokens + (at - bucket.atMs) / msPerToken);
    bucket.atMs = at;
    const total = Math.min(count, perMinute);
    const isAllowed = bucket.tokens >= total - paid;
    if (isAllowed) bucket.tokens -= total - paid;
    buckets.set(projectId, bucket);
    const rateLimit = {
      limit: perMinute,
      remaining: Math.floor(bucket.tokens),
      resetS: Math.ceil(((perMinute - bucket.tokens) * msPerToken) / 1000),
    };
    if (isAllowed) return rateLimit;
    // The client repeats the whole request, so the wait is for all its tokens.
    throw new RateLimited(rateLimit, Math.ceil(((total - bucket.tokens) * msPerToken) / 1000));
  };
}

const limiters = new WeakMap<Context, ReturnType<typeof createRateLimiter>>();

/** A project has one bucket in a process, for all its API keys and both APIs. */
function limiterOf(context: Context): ReturnType<typeof createRateLimiter> {
  const limiter = limiters.get(context) ?? createRateLimiter(context.config.rateLimitPerMinute);
  limiters.set(context, limiter);
  return limiter;
}

type Sender = Pick<Caller, 'projectId'>;

export function countRequest(context: Context, { projectId }: Sender): void {
  limiterOf(context)(projectId);
}

/** Each post of a bulk request counts as a request. `countRequest` has already counted the first post. */
export function countPosts(context: Context, { projectId }: Sender, count: number): void {
  limiterOf(context)(projectId, count, 1);
}

/** The headers of an answer, with the requests that remain now. */
export function readRateLimit(context: Context, { projectId }: Sender): Record<string, string> {
  const rateLimit = limiterOf(context)(projectId, 0);
  return rateLimit ? rateLimitHeaders(rateLimit) : {};
}

export function rateLimitHeaders({ limit, remaining, resetS }: RateLimit): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
  };
}
