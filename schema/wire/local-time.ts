// Wall-clock times in a time zone. Zone data come from Node.
import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { describedEnum } from './described-enum.ts';

export const TimeAdjustment = describedEnum(
  'TimeAdjustment',
  'How the time of a clock became an instant.',
  {
    none: 'Clocks show the time once on that day.',
    gap: 'Clocks skip the time on that day, so it moved forward by the skipped time.',
    fold: 'Clocks show the time twice on that day, and the first one counts.',
  },
);
export type TimeAdjustment = z.infer<typeof TimeAdjustment>;

/** Undefined: IANA has no zone of this name. The name comes back as IANA writes it, aliases included. */
function findTimezone(name: string): string | undefined {
  // Intl also takes offsets, and zones that only ICU knows.
  if (/^[+-]|^systemv\//i.test(name)) return undefined;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return undefined;
  }
}

const timezone = { description: 'Time zone, as IANA names it.', example: 'Europe/Berlin' };
export const Timezone = z.string().meta(timezone);

/** A time zone from a client, in any case. */
export const GivenTimezone = z
  .string()
  .max(64)
  .transform((name, { addIssue }) => {
    const found = findTimezone(name);
    if (found !== undefined) return found;
    const message = 'must be a time zone as IANA names it, such as Europe/Berlin';
    addIssue({ code: 'custom', message, params: { code: 'invalid_timezone' }, input: name });
    return z.NEVER;
  })
  .meta(timezone);

const local = { example: '2026-12-01T09:00' };
export const LocalTime = z.string().meta(local);

/** A wall-clock time from a client, without an offset. Seconds of zero are left out of the result. */
export const GivenLocalTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:[0-5]\d)?$/, {
    error: 'must be a local time without an offset, such as 2026-12-01T09:00',
    abort: true,
  })
  .refine(isOnCalendar, 'is not on the calendar')
  .transform((text) => text.replace(/(?<=T\d\d:\d\d):00$/, ''))
  .meta(local);

function isOnCalendar(text: string): boolean {
  try {
    Temporal.PlainDateTime.from(text, { overflow: 'reject' });
    return true;
  } catch {
    return false;
  }
}

export interface ZonedTime {
  /** Wall-clock time, such as `2026-12-01T09:00`. */
  local: string;
  timezone: string;
}

/** A skipped time moves forward by the skipped time. Of a time that comes twice, the first one counts. */
export function toInstant({ local, timezone }: ZonedTime): { at: Date; adjusted: TimeAdjustment } {
  const clock = Temporal.PlainDateTime.from(local);
  const first = clock.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  const last = clock.toZonedDateTime(timezone, { disambiguation: 'later' });
  if (first.epochMilliseconds === last.epochMilliseconds) {
    return { at: new Date(first.epochMilliseconds), adjusted: 'none' };
  }
  // In a gap, both show other times than the clock that was asked for.
  return first.toPlainDateTime().equals(clock)
    ? { at: new Date(first.epochMilliseconds), adjusted: 'fold' }
    : { at: new Date(last.epochMilliseconds), adjusted: 'gap' };
}

/** What a clock in the zone shows at the instant. */
export function toLocalTime(at: Date, timezone: string): string {
  const shown = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDateTime();
  const smallestUnit = shown.second === 0 && shown.millisecond === 0 ? 'minute' : 'second';
  return shown.toString({ smallestUnit });
}
