// The columns of a grant that has just received credentials, and whether these can be refreshed.
import { sealCredentials } from '../../schema/database/accounts/grants.ts';
import { inMs } from '../../schema/database/database-clock.ts';
import { expiryWarningsMs } from '../../schema/accounts.ts';
import type { Vault } from '../../schema/database/vault.ts';
import type { Credentials, Grant, Platform } from '../platforms/platform.ts';

/** The part of a token's life that passes before it is refreshed. */
const refreshAfter = 0.8;
/** Spreads the refreshes of logins that were made at the same time. */
const jitter = 0.05;
/** A network that names shorter lives is asked no more often. A post refreshes by itself. */
const refreshAtMostEveryMs = 300_000;

export function canRefresh(
  platform: Pick<Platform, 'refresh' | 'canRefresh'>,
  credentials: Credentials,
): boolean {
  return platform.refresh !== undefined && (platform.canRefresh?.(credentials) ?? true);
}

export function loginColumns(
  vault: Vault,
  platform: Pick<Platform, 'refresh' | 'canRefresh'>,
  grantId: string,
  { credentials, tokenExpiresAt }: Pick<Grant, 'credentials' | 'tokenExpiresAt'>,
) {
  const livesMs = tokenExpiresAt && Math.max(tokenExpiresAt.getTime() - Date.now(), 0);
  const share = refreshAfter + jitter * (2 * Math.random() - 1);
  const isRefreshed = livesMs !== null && canRefresh(platform, credentials);
  return {
    ...sealCredentials(vault, grantId, credentials),
    token_expires_at: tokenExpiresAt,
    refresh_at: isRefreshed ? inMs(Math.max(livesMs * share, refreshAtMostEveryMs)) : null,
    refresh_failures: 0,
    expiry_warning_at:
      livesMs === null || isRefreshed ? null : inMs(Math.max(livesMs - expiryWarningsMs.first, 0)),
  };
}
