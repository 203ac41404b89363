// A day of this browser's zone as an interval.
export interface DayBounds {
  from: string;
  to: string;
}

/** `day`: such as `2026-12-01`. Undefined: not a day. */
export function dayBounds(day: string | undefined): DayBounds | undefined {
  const from = new Date(`${day}T00:00:00`);
  if (day === undefined || Number.isNaN(from.getTime())) return undefined;
  const to = new Date(from);
  to.setDate(to.getDate() + 1);
  return { from: from.toISOString(), to: to.toISOString() };
}
