// Checks the time at which a request wants a post published.
import type { Config } from '../../../schema/config/config.ts';
import { countOf } from '../../../schema/wire/count-of.ts';
import { validationError, type Issue } from '../../../schema/wire/errors.ts';
import { fixedLimits } from '../../../schema/wire/limits.ts';

const { scheduleAheadDays } = fixedLimits;
const maxAheadMs = scheduleAheadDays * 24 * 3_600_000;

interface Scheduled {
  scheduled_at?: string | undefined;
}

/** Null: now. Throws if the time is too near or too far. */
export function readSchedule(config: Config, input: Scheduled): Date | null {
  const issues = checkSchedule(config, input);
  if (issues.length > 0) throw validationError(issues);
  return toSchedule(input);
}

export function toSchedule({ scheduled_at }: Scheduled): Date | null {
  return scheduled_at === undefined ? null : new Date(scheduled_at);
}

export function checkSchedule({ minScheduleAheadS }: Config, input: Scheduled): Issue[] {
  const at = toSchedule(input);
  if (!at) return [];
  const aheadMs = at.getTime() - Date.now();
  const path = ['scheduled_at'];
  const actual = input.scheduled_at!;
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
