// Decides when a target may call its network, by the network's reported limits and the operator's ceiling.
import type { ClockState } from '../../schema/database/tables.ts';
import {
  accountLimitKey,
  appLimitKey,
  appQuotaKey,
  grantLimitKey,
  reserveSlot,
  setBlocked,
} from '../../schema/database/posts/rate-limits.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import type { Throttle } from '../platforms/platform.ts';
import { readWaitMs, type PlatformError, type ThrottleScope } from '../platforms/platform-error.ts';
import { afterQuota, afterRateLimit, refusalWaitMs, type NextStep } from './backoff.ts';

type LimitDependencies = Pick<AdvanceDependencies, 'db' | 'clock' | 'postsPerMinute'>;

/** A target that begins later than this after its slot reserves a new slot. */
const slotHoldsMs = 5_000;

/**
 * How long a prepare or commit must wait; undefined: it need not wait. Reserves a slot for each commit under
 * the operator's ceiling, and for each call of an account after a limit.
 */
export async function findWait(
  { db, clock: limits, postsPerMinute = {} }: LimitDependencies,
  row: TargetRow,
): Promise<NextStep | undefined> {
  const { blocked_until, no_quota_until, clock, phase, platform, read_at } = row;
  const nowMs = read_at.getTime();
  const noQuotaMs = (no_quota_until?.getTime() ?? 0) - nowMs;
  // A target that has begun has its part of the quota.
  if (noQuotaMs > 0 && row.provider_state === null) {
    return afterQuota(noQuotaMs, phase, withoutSlot(clock), limits, nowMs);
  }
  const blockedMs = (blocked_until?.getTime() ?? 0) - nowMs;
  if (blockedMs > 0) return afterRateLimit(blockedMs, phase, withoutSlot(clock), limits, nowMs);
  const hasSlot = clock.slotAtMs !== undefined && nowMs - clock.slotAtMs < slotHoldsMs;
  if (hasSlot) return undefined;
  const ceiling = phase === 'commit' ? (postsPerMinute[platform] ?? 0) : 0;
  const hasWaited = (clock.rateLimitedSinceMs ?? clock.quotaSinceMs) !== undefined;
  // After a limit, the calls of the account go one by one, because the first call shows whether the limit
  // still holds.
  const own = hasWaited
    ? await reserveSlot(db, accountLimitKey(row.social_account_id), limits.rateLimitedFirstMs)
    : undefined;
  const shared =
    ceiling > 0 ? await reserveSlot(db, appLimitKey(platform), 60_000 / ceiling) : undefined;
  const later = (shared?.waitMs ?? 0) > (own?.waitMs ?? 0) ? shared : own;
  if (!later || later.waitMs <= 0) return undefined;
  const { at, waitMs } = later;
  return { next: phase, waitMs, clock: { ...clock, slotAtMs: at.getTime() } };
}

/** A commit uses up its slot, so the next commit needs another slot. */
export function withoutSlot(clock: ClockState): ClockState {
  const { slotAtMs: _, ...rest } = clock;
  return rest;
}

/**
 * Makes all calls of the account, its grant or its app wait after a refusal. If an account is out of quota,
 * each of its targets asks the network itself, since another target may have another quota.
 */
export async function recordRefusal(
  { db, clock }: Pick<AdvanceDependencies, 'db' | 'clock'>,
  row: TargetRow,
  error: PlatformError,
): Promise<void> {
  const { isOutOfQuota, throttled, retryAfterMs = clock.quotaDelayMs } = error.options;
  if (isOutOfQuota) {
    if (throttled === 'app') await setBlocked(db, appQuotaKey(appOf(row)), retryAfterMs);
    return;
  }
  const waitMs = refusalWaitMs(error, row.clock, clock);
  await recordThrottle({ db }, row, { scope: error.options.throttled ?? 'account', waitMs });
}

export async function recordThrottle(
  { db }: Pick<AdvanceDependencies, 'db'>,
  row: TargetRow,
  { scope, waitMs: askedMs }: Throttle,
): Promise<void> {
  const waitMs = readWaitMs(askedMs);
  if (waitMs !== undefined) await setBlocked(db, limitKeyOf(row, scope), waitMs);
}

const appOf = ({ app_id, platform }: TargetRow) => app_id ?? platform;

function limitKeyOf(row: TargetRow, scope: ThrottleScope): string {
  switch (scope) {
    case 'app':
      return appLimitKey(appOf(row));
    case 'grant':
      return row.grant_id === null
        ? accountLimitKey(row.social_account_id)
        : grantLimitKey(row.grant_id);
    case 'account':
      return accountLimitKey(row.social_account_id);
  }
}
