// Days and times by the clock of this browser.
export const dayMs = 86_400_000;
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const zones = Intl.supportedValuesOf('timeZone');

/** The time zones to choose from, with this one first. Browsers leave UTC out. */
export const zonesWith = (zone: string): string[] => [...new Set([zone, 'UTC', ...zones])];

/** An instant as clocks of this browser's zone show it: `2026-12-01T09:30`. */
export function toLocal(at: string | number | Date): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Such as `2026-12-01`. */
export const dayOf = (at: string | number | Date): string => toLocal(at).slice(0, 10);

/** Keeps the clock across changes of summer time. */
export function addDays(date: Date, days: number): Date {
  const moved = new Date(date);
  moved.setDate(moved.getDate() + days);
  return moved;
}

export interface DayBounds {
  from: string;
  to: string;
}

/** `day`: such as `2026-12-01`. Undefined: not a day. */
export function dayBounds(day: string | undefined): DayBounds | undefined {
  const from = new Date(`${day}T00:00:00`);
  if (day === undefined || Number.isNaN(from.getTime())) return undefined;
  return { from: from.toISOString(), to: addDays(from, 1).toISOString() };
}
