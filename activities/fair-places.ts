// Places for work that projects share, so that a flood by one project leaves places for others.

/** Runs the work once its key gets a place. Rejects if the signal aborts before that. */
export type FairPlaces = <T>(
  key: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

interface Holder {
  readonly key: string;
  held: number;
  readonly waiting: Set<() => void>;
}

/**
 * A key gets a place if it holds fewer places than are free. Of 8 places, the first key therefore gets 4, the
 * second key 2, and the third and the fourth 1 each. Among the waiting keys, the key with the fewest places
 * is next.
 */
export function createFairPlaces(count: number): FairPlaces {
  const holders = new Map<string, Holder>();
  let free = count;

  function acquire(key: string, signal?: AbortSignal): Promise<Holder> {
    const holder = holders.get(key) ?? { key, held: 0, waiting: new Set() };
    holders.set(key, holder);
    const { promise, resolve, reject } = Promise.withResolvers<Holder>();
    const start = () => {
      signal?.removeEventListener('abort', stop);
      resolve(holder);
    };
    const stop = () => {
      holder.waiting.delete(start);
      forget(holder);
      reject(signal!.reason as Error);
    };
    holder.waiting.add(start);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    startNext();
    return promise;
  }

  function startNext(): void {
    for (let next = findNext(); next; next = findNext()) {
      const [start] = next.waiting;
      next.waiting.delete(start!);
      next.held++;
      free--;
      start!();
    }
  }

  function findNext(): Holder | undefined {
    let next: Holder | undefined;
    for (const holder of holders.values()) {
      if (holder.waiting.size === 0 || holder.held >= free) continue;
      if (!next || holder.held < next.held) next = holder;
    }
    return next;
  }

  /** A key without work takes no memory. */
  function forget({ key, held, waiting }: Holder): void {
    if (held === 0 && waiting.size === 0) holders.delete(key);
  }

  return async (key, work, signal) => {
    const holder = await acquire(key, signal);
    try {
      return await work();
    } finally {
      holder.held--;
      free++;
      forget(holder);
      // Keys that hold the same number of places take turns.
      if (holders.delete(key)) holders.set(key, holder);
      startNext();
    }
  };
}
