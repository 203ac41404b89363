// How long a receiver asks to be left alone, and how far that stretches the wait for the next attempt.
import type { Exchange } from '../../schema/database/webhooks/delivery-attempts.ts';

/** The Retry-After header, in seconds or as a date. Null: it is missing or neither. */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = new Date(header);
  // The one form of an HTTP date that may be sent today; `Date` itself reads nearly anything.
  if (Number.isNaN(date.getTime()) || date.toUTCString() !== header) return null;
  return Math.max(0, date.getTime() - nowMs);
}

/**
 * The wait that follows the attempt at step `step` of the retry schedule; undefined at its end. A receiver may
 * stretch it up to the next step's, and shorten none.
 */
export function nextWaitMs(
  delaysMs: readonly number[],
  step: number,
  { status_code, response_headers, ended_at }: Exchange,
): number | undefined {
  const delayMs = delaysMs[step];
  if (delayMs === undefined || (status_code !== 429 && status_code !== 503)) return delayMs;
  const askedMs = readRetryAfterMs(response_headers?.['retry-after'], ended_at.getTime()) ?? 0;
  return Math.max(delayMs, Math.min(askedMs, delaysMs[step + 1] ?? delayMs));
}
