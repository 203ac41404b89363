// Reads the rate limits in a network's headers. Dates are compared with the network's own clock.
import { readRetryAfterMs } from '../egress/retry-after.ts';
import { readWaitMs } from './platform-error.ts';
import type { Throttle } from './platform.ts';

/** The wait after a refusal; undefined: the headers name no wait. */
export function readRefusedMs(headers: Headers): number | undefined {
  const retryAfter = headers.get('retry-after') ?? undefined;
  return readRetryAfterMs(retryAfter, serverNow(headers)) ?? readResetMs(headers);
}

/** The wait after an accepted request that used up the account's limit. */
export function readThrottle(headers: Headers): Throttle | undefined {
  const waitMs = readWaitMs(readResetMs(headers));
  if (readLimit(headers, 'remaining') !== '0' || waitMs === undefined) return undefined;
  return { scope: 'account', waitMs };
}

export function serverNow(headers: Headers): number {
  return Date.parse(headers.get('date') ?? '') || Date.now();
}

/**
 * Milliseconds until a used-up limit resets. Undefined: the limit isn't used up. `prefix`: how the names of
 * its headers begin.
 */
export function readUsedUpMs(headers: Headers, prefix: string): number | undefined {
  if (headers.get(`${prefix}remaining`) !== '0') return undefined;
  return readWaitMs(Number(headers.get(`${prefix}reset`)) * 1_000 - serverNow(headers));
}

/**
 * `reset-after` has seconds: https://docs.discord.com/developers/topics/rate-limits#header-format
 * `reset` has a date: https://docs.joinmastodon.org/api/rate-limits/
 * or the epoch's seconds: https://docs.bsky.app/docs/advanced-guides/rate-limits
 */
function readResetMs(headers: Headers): number | undefined {
  const after = readLimit(headers, 'reset-after');
  if (after !== null) return Math.ceil(Number(after) * 1_000);
  const reset = readLimit(headers, 'reset') ?? '';
  const resetsAt = /^\d+$/.test(reset) ? Number(reset) * 1_000 : Date.parse(reset);
  return Number.isNaN(resetsAt) ? undefined : resetsAt - serverNow(headers);
}

/** The second prefix is that of X: https://docs.x.com/x-api/fundamentals/rate-limits#checking-your-limits */
const prefixes = ['x-ratelimit-', 'x-rate-limit-', 'ratelimit-'];

const readLimit = (headers: Headers, name: string) =>
  prefixes.map((prefix) => headers.get(`${prefix}${name}`)).find((value) => value !== null) ?? null;
