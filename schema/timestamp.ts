// Times on the wire: ISO 8601, UTC, milliseconds, `Z`.
import { z } from 'zod';

export const Timestamp = z.iso.datetime().meta({
  description: 'ISO 8601, UTC.',
  example: '2026-01-31T12:00:00.000Z',
});

export function toTimestamp(date: Date): string;
export function toTimestamp(date: Date | null): string | null;
export function toTimestamp(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
