// When a target may call its network: what the network has said to any worker, and the operator's ceiling.
import type { ClockState } from '../../schema/database/tables.ts';
import {
  accountLimitKey,
  appLimitKey,
  reserveTurn,
  setBlocked,
} from '../../schema/database/posts/rate-limits.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import type { Throttle } from '../platforms/platform.ts';
import { readWaitMs, type PlatformError } from '../platforms/platform-error.ts';
import { afterRateLimit, type NextStep } from './backoff.ts';

type TurnDependencies = Pick<AdvanceDependencies, 'db' | 'clock' | 'postsPerMinute'>;

/** A place holds for a target that comes a little late; one that was down for longer asks anew. */
const turnHoldsMs = 5_000;

/**
 * Of a call that asks the network to take something; undefined: it may go out now. A place under the
 * ceiling is reserved for each commit.
 */
export async function findWait(
  { db, clock: limits, postsPerMinute = {} }: TurnDependencies,
  row: TargetRow,
): Promise<NextStep | undefined> {
  const { blocked_until, clock, phase, platform, read_at } = row;
  const nowMs = read_at.getTime();
  const blockedMs = (blocked_until?.getTime() ?? 0) - nowMs;
  if (blockedMs > 0) return afterRateLimit(blockedMs, phase, clock, limits, nowMs);
  const ceiling = postsPerMinute[platform] ?? 0;
  const hasTurn = clock.turnAtMs !== undefined && nowMs - clock.turnAtMs < turnHoldsMs;
  if (ceiling === 0 || phase !== 'commit' || hasTurn) return undefined;
  const { at, waitMs } = await reserveTurn(db, appLimitKey(platform), 60_000 / ceiling);
  if (waitMs <= 0) return undefined;
  return { next: phase, waitMs, clock: { ...clock, turnAtMs: at.getTime() } };
}

/** A commit uses its place up: the next one needs another. */
export function withoutTurn(clock: ClockState): ClockState {
  const { turnAtMs: _, ...rest } = clock;
  return rest;
}

/** The network has refused a call, so that every other one of the account, or of the app, waits too. */
export async function noteRefusal(
  { db, clock }: Pick<AdvanceDependencies, 'db' | 'clock'>,
  row: TargetRow,
  { options }: PlatformError,
): Promise<void> {
  const waitMs = options.retryAfterMs ?? clock.rateLimitedDelayMs;
  await noteThrottle({ db }, row, { scope: options.throttled ?? 'account', waitMs });
}

export async function noteThrottle(
  { db }: Pick<AdvanceDependencies, 'db'>,
  row: TargetRow,
  { scope, waitMs: askedMs }: Throttle,
): Promise<void> {
  const key = scope === 'app' ? appLimitKey(row.platform) : accountLimitKey(row.social_account_id);
  const waitMs = readWaitMs(askedMs);
  if (waitMs !== undefined) await setBlocked(db, key, waitMs);
}
