// When a post is to be published, from the time that a request names.
import type { Config } from '../../schema/config.ts';
import { validationError } from '../../schema/errors.ts';
import { fixedLimits } from '../../schema/limits.ts';

const maxAheadMs = fixedLimits.scheduleAheadDays * 24 * 3_600_000;

/** Null: now. Throws when the time is too near or too far. */
export function readSchedule(
  { minScheduleAheadS }: Config,
  { scheduled_at: actual }: { scheduled_at?: string | undefined },
): Date | null {
  if (actual === undefined) return null;
  const at = new Date(actual);
  const aheadMs = at.getTime() - Date.now();
  const path = 'scheduled_at';
  if (aheadMs < minScheduleAheadS * 1_000) {
    const message = `must be at least ${minScheduleAheadS} seconds ahead`;
    throw validationError([{ path, code: 'too_soon', message, actual, limit: minScheduleAheadS }]);
  }
  if (aheadMs > maxAheadMs) {
    throw validationError([{ path, code: 'too_far', message: 'must be within a year', actual }]);
  }
  return at;
}
