// Waits until a post has ended, by reading it again and again.
import { sleep } from './durations.ts';
import type { Schemas } from './operations.ts';

const firstDelayMs = 250;
const longestDelayMs = 2_000;

/**
 * Returns the post once it has ended, or as it is at the end of the wait. A draft, and a post that is scheduled for
 * after the wait, are returned at once.
 */
export async function waitForEnd(
  read: () => Promise<Schemas['Post']>,
  first: Schemas['Post'],
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Schemas['Post']> {
  const endsAt = Date.now() + waitMs;
  let post = first;
  for (let delayMs = firstDelayMs; canEndBy(post, endsAt); delayMs *= 1.5) {
    const leftMs = endsAt - Date.now();
    if (leftMs <= 0) break;
    await sleep(Math.min(delayMs, longestDelayMs, leftMs), signal);
    post = await read();
  }
  return post;
}

function canEndBy({ status, scheduled_at }: Schemas['Post'], endsAt: number): boolean {
  if (status === 'scheduled') return scheduled_at !== null && Date.parse(scheduled_at) < endsAt;
  return status === 'pending';
}
