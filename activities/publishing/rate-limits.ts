// Decides when a target may call its network, by the network's reported limits and the operator's ceiling.
import type { ClockState } from '../../schema/database/tables.ts';
import {
  accountLimitKey,
  appLimitKey,
  grantLimitKey,
  reserveSlot,
  setBlocked,
} from '../../schema/database/posts/rate-limits.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import type { Throttle } from '../platforms/platform.ts';
import { readWaitMs, type PlatformError, type ThrottleScope } from '../platforms/platform-error.ts';
import { afterRateLimit, type NextStep } from './backoff.ts';

type LimitDependencies = Pick<AdvanceDependencies, 'db' | 'clock' | 'postsPerMinute'>;

/** A target that is later than this reserves a new slot. */
const slotHoldsMs = 5_000;

/** How long a prepare or commit must wait; undefined: not at all. Reserves a slot for each commit. */
export async function findWait(
  { db, clock: limits, postsPerMinute = {} }: LimitDependencies,
  row: TargetRow,
): Promise<NextStep | undefined> {
  const { blocked_until, clock, phase, platform, read_at } = row;
  const nowMs = read_at.getTime();
  const blockedMs = (blocked_until?.getTime() ?? 0) - nowMs;
  if (blockedMs > 0) return afterRateLimit(blockedMs, phase, clock, limits, nowMs);
  const ceiling = postsPerMinute[platform] ?? 0;
  const hasSlot = clock.slotAtMs !== undefined && nowMs - clock.slotAtMs < slotHoldsMs;
  if (ceiling === 0 || phase !== 'commit' || hasSlot) return undefined;
  const { at, waitMs } = await reserveSlot(db, appLimitKey(platform), 60_000 / ceiling);
  if (waitMs <= 0) return undefined;
  return { next: phase, waitMs, clock: { ...clock, slotAtMs: at.getTime() } };
}

/** A commit uses its slot, so the next one needs another. */
export function withoutSlot(clock: ClockState): ClockState {
  const { slotAtMs: _, ...rest } = clock;
  return rest;
}

/** Makes all calls of the account, its grant or its app wait after a refusal. */
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
  const waitMs = readWaitMs(askedMs);
  if (waitMs !== undefined) await setBlocked(db, limitKeyOf(row, scope), waitMs);
}

function limitKeyOf(row: TargetRow, scope: ThrottleScope): string {
  switch (scope) {
    case 'app':
      return appLimitKey(row.app_id ?? row.platform);
    case 'grant':
      return row.grant_id === null
        ? accountLimitKey(row.social_account_id)
        : grantLimitKey(row.grant_id);
    case 'account':
      return accountLimitKey(row.social_account_id);
  }
}
