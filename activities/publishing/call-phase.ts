// One call of one phase to a network, with its deadline.
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { Phase } from '../../schema/posts/posts.ts';
import type { Access } from './credentials.ts';
import type {
  CommitOutcome,
  Platform,
  ProviderState,
  ReconcileOutcome,
  Target,
} from '../platforms/platform.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { takeOutcome } from './platform-answer.ts';

export type PhaseOutcome =
  { outcome: 'prepared'; state: ProviderState } | CommitOutcome | ReconcileOutcome;

/** Well under the activity's time-out: its outcome must be written before anybody else may begin. */
export const defaultCallTimeoutMs = 30_000;

interface CallOptions {
  /** From `performance.now()`, read before the database recorded the call as begun. */
  startedMs: number;
  callTimeoutMs: number;
  /** A process that has not sent the call by then has stalled, and may have been replaced. */
  sendWithinMs: number;
}

/** Throws a PlatformError. */
export async function callPhase(
  platform: Platform,
  phase: Phase,
  row: TargetRow,
  access: Access,
  { startedMs, callTimeoutMs, sendWithinMs }: CallOptions,
): Promise<PhaseOutcome> {
  const target: Target = {
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
  const spentMs = performance.now() - startedMs;
  if (spentMs > sendWithinMs) {
    throw new PlatformError('unavailable', 'The worker stalled before the call, and sent nothing.');
  }
  const signal = AbortSignal.timeout(Math.ceil(Math.max(callTimeoutMs - spentMs, 1)));
  return takeOutcome(await ask(platform, phase, target, signal));
}

async function ask(
  platform: Platform,
  phase: Phase,
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
