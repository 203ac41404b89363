// Checks the time at which a request wants a post published, and its deadline.
import type { Config } from '../../../schema/config/config.ts';
import { countOf } from '../../../schema/wire/count-of.ts';
import type { PostSchedule } from '../../../schema/posts/schedule.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import { fixedLimits } from '../../../schema/wire/limits.ts';
import { toInstant, toLocalTime, type ZonedTime } from '../../../schema/wire/local-time.ts';
import type { Path, Text } from '../../../schema/wire/names.ts';
import { toTimestamp } from '../../../schema/wire/timestamp.ts';

const { scheduleAheadDays } = fixedLimits;
const maxAheadMs = scheduleAheadDays * 24 * 3_600_000;

/** A time in one of its two forms. */
export interface GivenSchedule {
  scheduled_at?: string | null | undefined;
  schedule?: ZonedTime | null | undefined;
}

/** The time at which a post is to be published. */
export interface PlannedTime {
  /** Null: now, or never for a draft. */
  at: Date | null;
  /** The local time that was given. Null: none was. */
  schedule: PostSchedule | null;
}

export function hasSchedule({ scheduled_at, schedule }: GivenSchedule): boolean {
  return scheduled_at !== undefined || schedule !== undefined;
}

export function planTime({ scheduled_at, schedule }: GivenSchedule): PlannedTime {
  if (!schedule) return { at: toTime(scheduled_at), schedule: null };
  const { at, adjusted } = toInstant(schedule);
  return { at, schedule: { ...schedule, adjusted } };
}

export function toTime(given: string | null | undefined): Date | null {
  return given ? new Date(given) : null;
}

/** Path of the time in the request. */
export const pathOf = ({ schedule }: GivenSchedule): Path =>
  schedule ? ['schedule', 'local'] : ['scheduled_at'];

/** Refuses both forms at once, and a time that is too near or too far. */
export function checkSchedule({ minScheduleAheadS }: Config, given: GivenSchedule): Issue[] {
  const { scheduled_at, schedule } = given;
  if (scheduled_at !== undefined && schedule !== undefined) {
    const message: Text = ({ field }) =>
      `Give ${field('scheduled_at')} or ${field('schedule')}, not both.`;
    return [{ path: ['schedule'], code: 'both_time_forms', message }];
  }
  const { at } = planTime(given);
  if (!at) return [];
  const aheadMs = +at - Date.now();
  const [path, actual] = [pathOf(given), schedule?.local ?? scheduled_at!];
  if (aheadMs < minScheduleAheadS * 1_000) {
    const message = `must be at least ${countOf(minScheduleAheadS, 'second')} in the future`;
    return [{ path, code: 'too_soon', message, actual, limit: minScheduleAheadS }];
  }
  if (aheadMs > maxAheadMs) {
    const message = `must be at most ${countOf(scheduleAheadDays, 'day')} in the future`;
    return [{ path, code: 'too_far', message, actual, limit: scheduleAheadDays }];
  }
  return [];
}

/** Says that clocks don't show the time once on that day. */
export function warnOfAdjustment(given: GivenSchedule): Issue[] {
  const { at, schedule } = planTime(given);
  if (!schedule || schedule.adjusted === 'none') return [];
  const { local, timezone, adjusted } = schedule;
  const message =
    adjusted === 'gap'
      ? `Clocks in ${timezone} skip this time, so the post is due at ${toLocalTime(at!, timezone)}.`
      : `Clocks in ${timezone} show this time twice, and the first one counts: ${toTimestamp(at)!}.`;
  return [{ path: pathOf(given), code: 'time_adjusted', message, actual: local }];
}

/** Checks the deadline of a post that is due at `publishAt`. `path`: the field of the request that gets the issue. */
export function checkDeadline(
  publishBy: Date | null,
  publishAt: Date,
  path: Path = ['publish_by'],
): Issue[] {
  if (!publishBy || publishBy > publishAt) return [];
  const [deadline, time] = [toTimestamp(publishBy), toTimestamp(publishAt)];
  if (path[0] === 'publish_by') {
    const message = 'must be later than the time of publication';
    return [{ path, code: 'too_soon', message, actual: deadline, limit: time }];
  }
  const message: Text = (names) => `must be earlier than ${names.field('publish_by')} of the post`;
  return [{ path, code: 'too_far', message, actual: time, limit: deadline }];
}
