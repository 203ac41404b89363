// A lane runs a few works at a time; the others wait their turn, but not for ever.

export interface Lane {
  /** Rejects with the code ETIMEOUT, without having begun, when no place gets free in time. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createLane(places: number, maxWaitMs: number): Lane {
  const waiting = new Set<() => void>();
  let free = places;

  function takePlace(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(Object.assign(new Error('No place got free in time.'), { code: 'ETIMEOUT' }));
      }, maxWaitMs);
      timer.unref();
      waiting.add(begin);
    });
  }

  /** Hands the place to whoever waits longest. */
  function leavePlace(): void {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    await takePlace();
    try {
      return await work();
    } finally {
      leavePlace();
    }
  }

  return { run };
}
