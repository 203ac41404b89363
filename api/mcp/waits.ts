// Counts the calls that wait for each project, and ends them when the server stops.
import { createKeyedCounter } from '../../activities/keyed-limits.ts';
import { AppError } from '../../schema/wire/errors.ts';

/** A call that waits needs no thread and no connection, but its client keeps a request open. */
const maxWaits = 10;

export interface Waits {
  /** Runs `work` unless the project has too many calls that wait. */
  run<T>(projectId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends all waits with the present state. */
  close(): void;
}

export function createWaits(): Waits {
  const running = createKeyedCounter();
  const closing = new AbortController();
  return {
    async run(projectId, work) {
      if (running.get(projectId) >= maxWaits) {
        const message = `A project waits for at most ${maxWaits} posts at a time.`;
        const hint = 'Wait for fewer posts at a time, or read them with get_post.';
        throw new AppError('rate_limited', message, { hint, retryAfterS: 2 });
      }
      running.add(projectId);
      try {
        return await work(closing.signal);
      } finally {
        running.remove(projectId);
      }
    },
    close: () => closing.abort(),
  };
}
