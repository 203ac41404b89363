// Calls that simultaneous requests share, such as one to a network whose answer is then kept.
import { LRUCache } from 'lru-cache';
import { AppError } from '../../schema/wire/errors.ts';

/**
 * Callers with the same key share a call in progress. They also share its error until `retryAfterS` has
 * passed, at most a minute, so that clients that don't wait can't make a network's limit worse.
 */
export type ShareCall = <T>(key: string, call: () => Promise<T>) => Promise<T>;

const maxFailures = 10_000;
/** A network may name a much longer time, and a new login may work before that. */
const maxWaitMs = 60_000;

export function createSharedCalls(): ShareCall {
  const running = new Map<string, Promise<unknown>>();
  const failures = new LRUCache<string, AppError>({ max: maxFailures });

  async function begin<T>(key: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof AppError && error.options.retryAfterS) {
        failures.set(key, error, { ttl: Math.min(error.options.retryAfterS * 1_000, maxWaitMs) });
      }
      throw error;
    } finally {
      running.delete(key);
    }
  }

  return async <T>(key: string, call: () => Promise<T>): Promise<T> => {
    const failure = failures.get(key);
    if (failure) throw failure;
    const begun = running.get(key) ?? begin(key, call);
    running.set(key, begun);
    return begun as Promise<T>;
  };
}
