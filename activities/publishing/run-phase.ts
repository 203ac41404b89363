// Runs one phase of a target: records that it begins, calls the network, records the outcome.
import type { ClockState } from '../../schema/database/tables.ts';
import { openState, sealState } from '../../schema/database/posts/provider-state.ts';
import { optionsOf, type TargetRow } from '../../schema/database/posts/targets.ts';
import type { Phase } from '../../schema/posts/posts.ts';
import { withoutProject } from '../current-project.ts';
import { uploadMs } from '../egress/upload-time.ts';
import { attemptSeconds } from '../metrics.ts';
import type { Platform, Target, TargetMedia } from '../platforms/platform.ts';
import { PlatformError, type PlatformErrorKind } from '../platforms/platform-error.ts';
import { afterStall, withoutLimit } from './backoff.ts';
import type { Access } from '../logins/credentials.ts';
import { deadlineOf } from './deadline.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import { readOutcome, toPlatformError, type PhaseOutcome } from '../platforms/platform-answer.ts';
import { recordThrottle, withoutSlot } from './rate-limits.ts';
import { recordError, recordOutcome, applyStep, type PhaseEnd } from './record-outcome.ts';

/**
 * Well below the activity's timeout, because the outcome must be recorded before another execution may begin.
 */
export const defaultCallTimeoutMs = 30_000;
/** Timeout of a step of a prepare. Such a step may be repeated, so a repeat only costs time. */
const stepTimeoutMs = 20_000;

/** The process took too long to begin the call. It has certainly sent nothing. */
interface Stalled {
  outcome: 'stalled';
}

const stallMessage = 'Fanfare stalled before the call and sent nothing.';

export async function runPhase(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  access: Access,
  media: readonly TargetMedia[],
): Promise<PhaseEnd> {
  const { heartbeats, writes } = dependencies;
  const { phase } = row;
  const target = toTarget(dependencies, row, access, media);
  const start = { row, phase, deadline: deadlineOf(row) };
  const { hasBegun, startedMs } = await writes.begin(start);
  if (!hasBegun) return 'written';
  const begun: TargetRow = {
    ...row,
    phase_state: 'begun',
    steps: row.steps + 1,
    attempts: row.attempts + (phase === 'commit' ? 1 : 0),
  };
  const stopHeartbeats = heartbeats.keep(begun);
  try {
    const call = callPhase(dependencies, phase, platform, target, startedMs);
    const answer = await call.catch(toPlatformError);
    return await withoutProject(() => record(dependencies, begun, platform, answer, startedMs));
  } finally {
    stopHeartbeats();
  }
}

async function record(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  answer: PhaseOutcome | Stalled | PlatformError,
  startedMs: number,
): Promise<PhaseEnd> {
  const { vault, writes } = dependencies;
  const durationMs = Math.round(performance.now() - startedMs);
  const outcome = answer instanceof PlatformError ? answer.kind : answer.outcome;
  const labels = { platform: row.platform, phase: row.phase, outcome };
  attemptSeconds.observe(labels, durationMs / 1_000);
  if (!(answer instanceof PlatformError) && answer.outcome === 'stalled') {
    const call = { outcome, durationMs, errorMessage: stallMessage } as const;
    const step = afterStall(row.phase, row.clock);
    const isWritten = await applyStep(dependencies, row, step, stallMessage, { call });
    return isWritten ? 'stalled' : 'superseded';
  }
  const kind = answer instanceof PlatformError ? answer.kind : 'answered';
  const called = { ...row, clock: clockAfter(row, kind) };
  if (answer instanceof PlatformError) return recordError(dependencies, called, answer, durationMs);

  if ('throttle' in answer && answer.throttle) {
    await recordThrottle(dependencies, called, answer.throttle);
  }
  if (answer.outcome === 'published') {
    const { followUp, ...published } = answer.published;
    const followed = followUp && {
      state: sealState(vault, row.id, followUp.state),
      forMs: followUp.forMs,
    };
    await writes.publish({
      row: called,
      published,
      durationMs,
      ...(followed && { followUp: followed }),
    });
    return 'published';
  }
  return recordOutcome(dependencies, called, platform, answer, durationMs);
}

/** `startedMs`: the time by `performance.now()` just before the database recorded the call as begun. */
export async function callPhase(
  {
    clock,
    callTimeoutMs = defaultCallTimeoutMs,
  }: Pick<AdvanceDependencies, 'clock' | 'callTimeoutMs'>,
  phase: Phase,
  platform: Platform,
  target: Target,
  startedMs: number,
): Promise<PhaseOutcome | Stalled> {
  const spentMs = performance.now() - startedMs;
  // If a process stalled, another process may have replaced it by now.
  if (spentMs > clock.lostAfterMs / 2) return { outcome: 'stalled' };
  const forMs = phase === 'prepare' ? Math.min(callTimeoutMs, stepTimeoutMs) : callTimeoutMs;
  const mediaMs = uploadMs(target.media.reduce((sum, { bytes }) => sum + bytes, 0));
  const signal = AbortSignal.timeout(Math.ceil(Math.max(forMs + mediaMs - spentMs, 1)));
  return readOutcome(await callPlatform(platform, phase, target, signal));
}

/** Throws if the vault can't open the state. Called before the row says that a call has begun. */
function toTarget(
  { vault }: AdvanceDependencies,
  row: TargetRow,
  { externalAccountId, credentials, traits }: Access,
  media: readonly TargetMedia[],
): Target {
  return {
    resultId: row.id,
    externalAccountId,
    caption: row.caption ?? row.post_caption,
    media,
    replyTo: row.in_reply_to ?? row.answered_external_id,
    platformOptions: optionsOf(row),
    dueAt: new Date(row.due_at.getTime() + row.position),
    credentials,
    traits,
    state: openState(vault, row),
  };
}

async function callPlatform(
  platform: Platform,
  phase: Phase,
  target: Target,
  signal: AbortSignal,
): Promise<PhaseOutcome> {
  switch (phase) {
    case 'prepare':
      return platform.prepare!(target, signal);
    case 'commit':
      return platform.commit(target, signal);
    case 'confirm':
      return platform.confirm!(target, signal);
    case 'reconcile':
      return platform.reconcile?.(target, signal) ?? { outcome: 'unknown' };
  }
}

const silentOnLimits: ReadonlySet<string> = new Set(['rate_limited', 'reauthorize']);

/** The clock after a call that ended so. */
export function clockAfter(
  { phase, clock }: Pick<TargetRow, 'phase' | 'clock'>,
  kind: PlatformErrorKind | 'answered',
): ClockState {
  const { quotaSinceMs } = clock;
  // An outage says nothing about the quota.
  const keepsQuota = kind === 'unavailable' && quotaSinceMs !== undefined;
  // Refused credentials say nothing about rate limits, since the limit may be on the refresh.
  const unlimited = silentOnLimits.has(kind)
    ? clock
    : { ...withoutLimit(clock), ...(keepsQuota && { quotaSinceMs }) };
  return phase === 'commit' ? withoutSlot(unlimited) : unlimited;
}
