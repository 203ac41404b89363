// Runs one phase of a target: records that it begins, calls the network, records the outcome.
import type { ClockState } from '../../schema/database/tables.ts';
import { beginPhase, endAttempt, setPublished } from '../../schema/database/posts/target-steps.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { Platform, Target } from '../platforms/platform.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { withoutLimit } from './backoff.ts';
import type { Access } from './credentials.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import { takeOutcome, toPlatformError, type PhaseOutcome } from './platform-answer.ts';
import { noteThrottle, withoutSlot } from './rate-limits.ts';
import { recordError, recordOutcome, type PhaseEnd } from './record-outcome.ts';

/** Well below the activity's timeout: the outcome must be recorded before another execution may begin. */
export const defaultCallTimeoutMs = 30_000;

export async function runPhase(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  access: Access,
): Promise<PhaseEnd> {
  const { db, notifier, heartbeats } = dependencies;
  const { phase } = row;
  const startedMs = performance.now();
  if (!(await beginPhase(db, notifier, row, phase))) return 'written';
  const begun: TargetRow = {
    ...row,
    phase_state: 'begun',
    steps: row.steps + 1,
    attempts: row.attempts + (phase === 'commit' ? 1 : 0),
  };
  const stopHeartbeats = heartbeats.keep(begun);
  try {
    return await callAndRecord(dependencies, begun, platform, access, startedMs);
  } finally {
    stopHeartbeats();
  }
}

async function callAndRecord(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  access: Access,
  startedMs: number,
): Promise<PhaseEnd> {
  const { db, notifier } = dependencies;
  const answer = await callPhase(dependencies, row, platform, access, startedMs).catch(
    toPlatformError,
  );
  const durationMs = Math.round(performance.now() - startedMs);
  const called = { ...row, clock: clockAfter(row, answer) };
  if (answer instanceof PlatformError) return recordError(dependencies, called, answer, durationMs);

  if ('throttle' in answer && answer.throttle) {
    await noteThrottle(dependencies, called, answer.throttle);
  }
  if (answer.outcome === 'published') {
    await setPublished(db, notifier, called, answer.published, durationMs);
    return 'published';
  }
  await endAttempt(db, row.id, row.steps, { outcome: answer.outcome, durationMs });
  return recordOutcome(dependencies, called, platform, answer);
}

/** `startedMs`: from `performance.now()`, before the database recorded the call as begun. */
export async function callPhase(
  {
    clock,
    callTimeoutMs = defaultCallTimeoutMs,
  }: Pick<AdvanceDependencies, 'clock' | 'callTimeoutMs'>,
  row: TargetRow,
  platform: Platform,
  access: Access,
  startedMs: number,
): Promise<PhaseOutcome> {
  const spentMs = performance.now() - startedMs;
  // A process that stalled may have been replaced by now.
  if (spentMs > clock.lostAfterMs / 2) {
    throw new PlatformError('unavailable', 'The worker stalled before the call, and sent nothing.');
  }
  const signal = AbortSignal.timeout(Math.ceil(Math.max(callTimeoutMs - spentMs, 1)));
  return takeOutcome(await callPlatform(platform, row, toTarget(row, access), signal));
}

function toTarget(row: TargetRow, access: Access): Target {
  return {
    resultId: row.id,
    externalAccountId: access.externalAccountId,
    caption: row.caption ?? row.post_caption,
    mediaUrls: row.media_urls ?? row.post_media_urls,
    replyTo: row.in_reply_to ?? row.answered_external_id,
    platformOptions: row.platform_options,
    dueAt: new Date(row.due_at.getTime() + row.position),
    credentials: access.credentials,
    traits: access.traits,
    state: row.provider_state,
  };
}

async function callPlatform(
  platform: Platform,
  { phase }: TargetRow,
  target: Target,
  signal: AbortSignal,
): Promise<PhaseOutcome> {
  switch (phase) {
    case 'prepare':
      return { outcome: 'prepared', state: await platform.prepare!(target, signal) };
    case 'commit':
      return platform.commit(target, signal);
    case 'confirm':
      return platform.confirm!(target, signal);
    case 'reconcile':
      return platform.reconcile?.(target, signal) ?? { outcome: 'unknown' };
  }
}

const silentOnLimits: ReadonlySet<string> = new Set(['rate_limited', 'reauthorize']);

function clockAfter({ phase, clock }: TargetRow, answer: PhaseOutcome | PlatformError): ClockState {
  // Refused credentials say nothing about rate limits, since it may be the refresh that is limited.
  const isSilent = answer instanceof PlatformError && silentOnLimits.has(answer.kind);
  const unlimited = isSilent ? clock : withoutLimit(clock);
  return phase === 'commit' ? withoutSlot(unlimited) : unlimited;
}
