// The days of a time zone, as instants.
import { Temporal } from 'temporal-polyfill';

export interface LocalDay {
  /** Such as `2026-12-01`. */
  date: string;
  startsAt: Date;
}

/** The days that an interval touches. A day that the zone skips, as at the date line, is left out. */
export function listLocalDays(from: Date, to: Date, timezone: string): LocalDay[] {
  const days: LocalDay[] = [];
  let date = Temporal.Instant.fromEpochMilliseconds(from.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDate();
  for (;;) {
    const start = date.toZonedDateTime(timezone);
    if (start.epochMilliseconds >= to.getTime()) return days;
    if (start.toPlainDate().equals(date)) {
      days.push({ date: date.toString(), startsAt: new Date(start.epochMilliseconds) });
    }
    date = date.add({ days: 1 });
  }
}
