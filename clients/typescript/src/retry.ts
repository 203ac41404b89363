// The one retry policy: which failures are tried again, and after how long.
import { sleep } from './durations.ts';
import { FanfareError } from './errors.ts';

const firstDelayMs = 500;
const longestDelayMs = 8_000;
/** A longer `Retry-After` is left to the caller. */
const longestRetryAfterS = 60;

export interface RetryOptions {
  maxRetries: number;
  signal: AbortSignal | undefined;
}

export interface Attempt {
  /** Whether an earlier try ended without an answer, so that it may have had its effect. */
  isAfterLost: boolean;
}

/** Throws the last failure. */
export async function withRetries<T>(
  { maxRetries, signal }: RetryOptions,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  let isAfterLost = false;
  for (let retries = 0; ; retries++) {
    try {
      return await work({ isAfterLost });
    } catch (error) {
      if (!(error instanceof FanfareError) || !error.isRetriable || retries === maxRetries) {
        throw error;
      }
      if ((error.retryAfter ?? 0) > longestRetryAfterS) throw error;
      isAfterLost ||= error.status === undefined || error.status >= 500;
      await sleep(delayMs(retries, error.retryAfter), signal);
    }
  }
}

/** Half of it is random, so that clients that failed together don't come back together. */
export function delayMs(retries: number, retryAfterS = 0): number {
  const ms = Math.min(firstDelayMs * 2 ** retries, longestDelayMs);
  return retryAfterS * 1_000 + ms * (0.5 + Math.random() / 2);
}
