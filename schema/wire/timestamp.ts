// Times on the wire: ISO 8601, UTC, milliseconds, `Z`.
import { z } from 'zod';

export const Timestamp = z.iso.datetime().meta({ example: '2026-01-31T12:00:00.000Z' });

/** A time from a client, in any time zone. */
export const GivenTime = z.iso.datetime({
  offset: true,
  error: 'must be an ISO 8601 time with a time zone, such as 2026-01-31T12:00:00Z',
});

export function toTimestamp(date: Date): string;
export function toTimestamp(date: Date | null): string | null;
export function toTimestamp(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
