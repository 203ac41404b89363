// The activity of `refreshLogins`: refreshes logins before they expire, a small group in each call.
import { claimDueGrants, type DueGrant } from '../../schema/database/accounts/grants.ts';
import type { RefreshDueInput, RefreshDueProgress } from '../../schema/workflows.ts';
import { fetchFor } from '../egress/guarded-fetch.ts';
import { canRefresh } from '../platforms/index.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { loadAccess, refreshAccess } from './credentials.ts';
import type { LoginDependencies } from './dependencies.ts';
import { setReconnectRequired } from './end-grants.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { warnOfExpiry } from './warn-of-expiry.ts';

const groupSize = 20;
/** If this process dies, the login is due again after this. */
const claimMs = 600_000;

/** `away`: the refresh failed for now. `done`: any other end. */
type Ending = 'done' | 'away';

export function createRefreshing(dependencies: LoginDependencies) {
  return {
    refreshDue: (input: RefreshDueInput): Promise<RefreshDueProgress> =>
      withHeartbeat(() => refreshDue(dependencies, input)),
    warnOfExpiry: (): Promise<boolean> => warnOfExpiry(dependencies),
  };
}

/** Refreshes at once the group of logins that have been due longest. */
export async function refreshDue(
  dependencies: LoginDependencies,
  { except }: RefreshDueInput,
): Promise<RefreshDueProgress> {
  const due = await claimDueGrants(dependencies.db, { limit: groupSize, except, claimMs });
  const endings = await Promise.all(
    due.map(async (grant) => ({
      platform: grant.platform,
      ending: await refreshOne(dependencies, grant),
    })),
  );
  const reached = new Set(endings.filter(({ ending }) => ending === 'done').map(platformOf));
  const away = [...new Set(endings.map(platformOf))].filter((name) => !reached.has(name));
  return { isLeft: due.length === groupSize, away };
}

const platformOf = ({ platform }: { platform: string }) => platform;

/** Never throws: one login must not hold up the others. */
async function refreshOne(
  dependencies: LoginDependencies,
  { id, project_id, platform: name, account_id, credential_version }: DueGrant,
): Promise<Ending> {
  const log = dependencies.log.child({ component: 'logins', grant_id: id, platform: name });
  try {
    const platform = dependencies.platforms.get(name);
    const access = account_id === null ? undefined : await loadAccess(dependencies, account_id);
    // Another refresh may have come first.
    if (!platform || access?.credentialVersion !== credential_version) return 'done';
    if (!canRefresh(platform, access.credentials)) return 'done';
    const result = await fetchFor(project_id, () => refreshAccess(dependencies, platform, access));
    if (!(result instanceof PlatformError)) {
      log.debug('a login is refreshed');
      return 'done';
    }
    log.warn({ err: result }, 'a login could not be refreshed');
    if (result.kind !== 'reauthorize') return 'away';
    const reason = result.options.isRevoked ? 'revoked' : 'token_expired';
    await setReconnectRequired(dependencies, access, reason);
  } catch (err) {
    log.error({ err }, 'the refresh of a login failed');
  }
  return 'done';
}
