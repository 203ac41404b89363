// The columns of a grant that has just received credentials, and whether the credentials can be refreshed.
import { sealCredentials } from '../../schema/database/accounts/grants.ts';
import { inMs } from '../../schema/database/database-clock.ts';
import { expiryWarningsMs } from '../../schema/accounts.ts';
import type { Vault } from '../../schema/database/vault.ts';
import type { Credentials, Grant, Platform } from '../platforms/platform.ts';

/** The part of a token's life that passes before it is refreshed. */
const refreshAfter = 0.8;
/** Spreads the refreshes and the checks of logins that were made at the same time. */
const jitter = 0.05;
/**
 * A token with a short life is refreshed no more often than this. Posts refresh an expired token themselves.
 */
const refreshAtMostEveryMs = 300_000;
const checkEveryMs = 24 * 3_600_000;

const jittered = (share: number) => share + jitter * (2 * Math.random() - 1);

export function canRefresh(
  platform: Pick<Platform, 'refresh' | 'canRefresh'>,
  credentials: Credentials,
): boolean {
  return platform.refresh !== undefined && (platform.canRefresh?.(credentials) ?? true);
}

/** Wait before the next check of a login. */
export const nextCheckMs = () => checkEveryMs * jittered(1);

export function loginColumns(
  vault: Vault,
  platform: Pick<Platform, 'refresh' | 'canRefresh' | 'check'>,
  grantId: string,
  { credentials, tokenExpiresAt }: Pick<Grant, 'credentials' | 'tokenExpiresAt'>,
) {
  const livesMs = tokenExpiresAt && Math.max(tokenExpiresAt.getTime() - Date.now(), 0);
  const share = jittered(refreshAfter);
  const isRefreshed = livesMs !== null && canRefresh(platform, credentials);
  return {
    ...sealCredentials(vault, grantId, credentials),
    token_expires_at: tokenExpiresAt,
    refresh_at: isRefreshed ? inMs(Math.max(livesMs * share, refreshAtMostEveryMs)) : null,
    refresh_failures: 0,
    check_at: platform.check && !isRefreshed ? inMs(nextCheckMs()) : null,
    expiry_warning_at:
      livesMs === null || isRefreshed ? null : inMs(Math.max(livesMs - expiryWarningsMs.first, 0)),
  };
}
