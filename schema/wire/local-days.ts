// The days of a time zone, as instants.
import { Temporal } from 'temporal-polyfill';

export interface LocalDay {
  /** Such as `2026-12-01`. */
  date: string;
  /** From 1, which is Monday. */
  weekday: number;
  startsAt: Date;
  endsAt: Date;
}

/** The days that an interval touches. A day that the zone skips, as at the date line, is left out. */
export function* localDays(from: Date, to: Date, timezone: string): Generator<LocalDay, void> {
  let date = Temporal.Instant.fromEpochMilliseconds(from.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDate();
  let startMs = date.toZonedDateTime(timezone).epochMilliseconds;
  while (startMs < to.getTime()) {
    const next = date.add({ days: 1 });
    const endMs = next.toZonedDateTime(timezone).epochMilliseconds;
    if (endMs > startMs) {
      const [startsAt, endsAt] = [new Date(startMs), new Date(endMs)];
      yield { date: date.toString(), weekday: date.dayOfWeek, startsAt, endsAt };
    }
    [date, startMs] = [next, endMs];
  }
}
