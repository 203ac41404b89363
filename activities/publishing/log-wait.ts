// One log line when a target begins to wait long, so that operators see why its post is late.
import type { ClockState } from '../../schema/database/tables.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import { reasonOfRow } from '../../schema/database/posts/wait-reason.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import type { NextStep } from './backoff.ts';
import type { AdvanceDependencies } from './dependencies.ts';

/** Shorter waits are part of usual publishing. */
const longWaitMs = 5_000;

type LogDependencies = Pick<AdvanceDependencies, 'log' | 'now'>;

/**
 * Returns the clock of a target that is about to wait. `log` writes the line. Undefined `log`: the wait is
 * short, or the log already has the target's line for this reason, so that a long outage has only one line
 * for each target.
 */
export function recordWait(
  dependencies: LogDependencies,
  row: TargetRow,
  step: Exclude<NextStep, { fail: unknown }>,
  cause: PlatformError | string,
): { clock: ClockState; log?: () => void } {
  const { clock, waitMs } = step;
  if (waitMs <= longWaitMs) return { clock };
  const next_attempt_at = new Date(dependencies.now() + waitMs);
  const next = { ...row, phase: step.next, phase_state: 'ready', clock, next_attempt_at } as const;
  const waiting_for = reasonOfRow({ ...next, is_paused: false }, false);
  if (clock.loggedWait === waiting_for) return { clock };
  const error = cause instanceof PlatformError ? cause : undefined;
  const fields = {
    waiting_for,
    outcome: error?.kind ?? null,
    error_code: error?.options.platformCode ?? null,
    ...(waiting_for === 'media' && { error: cause }),
    next_attempt_in_ms: Math.round(waitMs),
  };
  return {
    clock: { ...clock, loggedWait: waiting_for },
    log: () => logWait(dependencies, row, fields),
  };
}

/** Logs that a target is paused. A paused target has no next attempt. */
export function logPaused(dependencies: LogDependencies, row: TargetRow): void {
  const unknown = { outcome: null, error_code: null, next_attempt_in_ms: null };
  logWait(dependencies, row, { waiting_for: 'pause', ...unknown });
}

function logWait(
  { log }: LogDependencies,
  { project_id, post_id, id, platform }: TargetRow,
  fields: Record<string, unknown>,
): void {
  const target = { project_id, post_id, result_id: id, platform };
  log.info({ component: 'publishing', ...target, ...fields }, 'a target waits');
}
