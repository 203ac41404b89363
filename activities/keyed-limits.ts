// A counter and a concurrency limiter with a separate count for each key, such as a project.
import pLimit, { type LimitFunction } from 'p-limit';

/** A key without a count takes no memory. */
export interface KeyedCounter {
  get(key: string): number;
  add(key: string): void;
  /** Returns the new count. */
  remove(key: string): number;
  keysFrom(count: number): string[];
}

export function createKeyedCounter(): KeyedCounter {
  const counts = new Map<string, number>();

  function change(key: string, by: 1 | -1): number {
    const count = (counts.get(key) ?? 0) + by;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
    return count;
  }

  return {
    get: (key) => counts.get(key) ?? 0,
    add: (key) => void change(key, 1),
    remove: (key) => change(key, -1),
    keysFrom: (min) => [...counts].filter(([, count]) => count >= min).map(([key]) => key),
  };
}

export type KeyedLimit = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Runs at most `concurrency` tasks per key at a time, in the order in which they arrive. */
export function createKeyedLimit(concurrency: number): KeyedLimit {
  const limits = new Map<string, LimitFunction>();
  const users = createKeyedCounter();
  return async (key, work) => {
    const limit = limits.get(key) ?? pLimit(concurrency);
    limits.set(key, limit);
    users.add(key);
    try {
      return await limit(work);
    } finally {
      if (users.remove(key) === 0) limits.delete(key);
    }
  };
}
