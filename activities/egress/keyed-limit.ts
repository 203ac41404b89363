// A concurrency limit for each key, such as each project.
import pLimit, { type LimitFunction } from 'p-limit';

export type KeyedLimit = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Runs at most `concurrency` works of one key at a time, the others in the order they came. */
export function createKeyedLimit(concurrency: number): KeyedLimit {
  const entries = new Map<string, { limit: LimitFunction; users: number }>();
  return async (key, work) => {
    const entry = entries.get(key) ?? { limit: pLimit(concurrency), users: 0 };
    entries.set(key, entry);
    entry.users += 1;
    try {
      return await entry.limit(work);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) entries.delete(key);
    }
  };
}
