// The time of a post after it was dragged. A local time keeps its zone, and its clock across changes of summer time.
import { addDays, dayMs } from '../browser/days.ts';
import type { CalendarPostData } from './calendar-documents.ts';

export interface Moved {
  days: number;
  milliseconds: number;
}

export function movedTime(
  { schedule, scheduledAt }: CalendarPostData,
  { days, milliseconds }: Moved,
): { schedule: { local: string; timezone: string } } | { scheduledAt: string } | undefined {
  const differenceMs = days * dayMs + milliseconds;
  if (schedule) {
    // A clock without a zone has no gaps: `Z` only makes it a number.
    const moved = new Date(Date.parse(`${schedule.local}Z`) + differenceMs);
    const local = moved.toISOString().slice(0, schedule.local.length);
    return { schedule: { local, timezone: schedule.timezone } };
  }
  if (scheduledAt === null) return undefined;
  // By the clock of this browser, which the calendar shows.
  const moved = addDays(new Date(scheduledAt), days);
  return { scheduledAt: new Date(moved.getTime() + milliseconds).toISOString() };
}
