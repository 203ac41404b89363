// Checks the time at which a request wants a post published.
import type { Config } from '../../../schema/config/config.ts';
import { countOf } from '../../../schema/wire/count-of.ts';
import { validationError, type Issue } from '../../../schema/wire/errors.ts';
import { fixedLimits } from '../../../schema/wire/limits.ts';

const { scheduleAheadDays } = fixedLimits;
const maxAheadMs = scheduleAheadDays * 24 * 3_600_000;

/** Null or undefined: no time. */
type Given = string | null | undefined;

/** Null: now. Throws if the time is too near or too far. */
export function readSchedule(config: Config, given: Given): Date | null {
  const issues = checkSchedule(config, given);
  if (issues.length > 0) throw validationError(issues);
  return toSchedule(given);
}

export function toSchedule(given: Given): Date | null {
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
