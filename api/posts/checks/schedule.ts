// Checks the time at which a request wants a post published, and its deadline.
import type { Config } from '../../../schema/config/config.ts';
import { countOf } from '../../../schema/wire/count-of.ts';
import { validationError, type Issue } from '../../../schema/wire/errors.ts';
import { fixedLimits } from '../../../schema/wire/limits.ts';
import type { Text } from '../../../schema/wire/names.ts';
import { toTimestamp } from '../../../schema/wire/timestamp.ts';

const { scheduleAheadDays } = fixedLimits;
const maxAheadMs = scheduleAheadDays * 24 * 3_600_000;

/** Null or undefined: no time. */
type Given = string | null | undefined;

/** Null: now. Throws if the time is too near or too far. */
export function readSchedule(config: Config, given: Given): Date | null {
  const issues = checkSchedule(config, given);
  if (issues.length > 0) throw validationError(issues);
  return toTime(given);
}

export function toTime(given: Given): Date | null {
  return given ? new Date(given) : null;
}

export function checkSchedule({ minScheduleAheadS }: Config, actual: Given): Issue[] {
  if (!actual) return [];
  const aheadMs = Date.parse(actual) - Date.now();
  const path = ['scheduled_at'];
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

/**
 * Checks the deadline of a post that is due at `publishAt`. `field`: the field that the request has, which
 * gets the issue.
 */
export function checkDeadline(
  publishBy: Date | null,
  publishAt: Date,
  field: 'publish_by' | 'scheduled_at' = 'publish_by',
): Issue[] {
  if (!publishBy || publishBy > publishAt) return [];
  const [deadline, time] = [toTimestamp(publishBy), toTimestamp(publishAt)];
  if (field === 'publish_by') {
    const message = 'must be later than the time of publication';
    return [{ path: [field], code: 'too_soon', message, actual: deadline, limit: time }];
  }
  const message: Text = (names) => `must be earlier than ${names.field('publish_by')} of the post`;
  return [{ path: [field], code: 'too_far', message, actual: time, limit: deadline }];
}
