// Counts the calls that wait for each API key, and ends them when the server stops.
import { createKeyedCounter } from '../../activities/keyed-limits.ts';
import { AppError } from '../../schema/wire/errors.ts';

/** A call that waits needs no thread and no connection, but its client keeps a request open. */
const maxWaits = 10;

export interface Waits {
  /** Runs `work` unless the API key has too many calls that wait. */
  run<T>(keyId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends all waits with the present state. */
  close(): void;
}

export function createWaits(): Waits {
  const running = createKeyedCounter();
  const closing = new AbortController();
  return {
    async run(keyId, work) {
      if (running.get(keyId) >= maxWaits) {
        const message = `An API key waits for at most ${maxWaits} posts at a time.`;
        const hint = 'Wait for fewer posts at a time, or read them with get_post.';
        throw new AppError('rate_limited', message, { hint, retryAfterS: 2 });
      }
      running.add(keyId);
      try {
        return await work(closing.signal);
      } finally {
        running.remove(keyId);
      }
    },
    close: () => closing.abort(),
  };
}
