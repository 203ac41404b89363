// Reads the Retry-After header of a receiver or a network.

/** The header has seconds or a date. Null: the header is missing, or has neither. */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = new Date(header);
  // The only format that senders may use for HTTP dates today. `Date` itself accepts nearly anything.
  if (Number.isNaN(date.getTime()) || date.toUTCString() !== header) return null;
  return Math.max(0, date.getTime() - nowMs);
}
