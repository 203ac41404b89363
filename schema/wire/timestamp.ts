// Times on the wire: RFC 3339, UTC, milliseconds, `Z`.
import { z } from 'zod';

export const Timestamp = z.iso.datetime().meta({ example: '2026-01-31T12:00:00.000Z' });

/** Groups of the pattern: date, time, `Z` or an offset. */
const almostRfc3339 =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)( ?Z| {0,2}[+-]\d\d:?\d\d| {1,2}\d\d:?\d\d)$/;

/**
 * Generated clients write spaces before the time and the offset, and offsets without a colon. An offset
 * without a sign had a `+`, which becomes a space in a query that isn't encoded.
 */
function toRfc3339(given: unknown): unknown {
  const parts = typeof given === 'string' ? almostRfc3339.exec(given) : null;
  if (!parts) return given;
  const [, date, time, zone] = parts as unknown as [string, string, string, string];
  const offset = zone.trim().replace(/^(?=\d)/, '+');
  return `${date}T${time}${offset === 'Z' ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`}`;
}

/** A time from a client, in any time zone. */
export const GivenTime = z.preprocess(
  toRfc3339,
  z.iso.datetime({
    offset: true,
    error: 'must be a time with a time zone as in RFC 3339, such as 2026-01-31T12:00:00Z',
  }),
);

export function toTimestamp(date: Date): string;
export function toTimestamp(date: Date | null): string | null;
export function toTimestamp(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
