// The activity of `refreshLogins`: refreshes logins before they expire, a small group in each call.
import { claimDueGrants, type DueGrant } from '../../schema/database/accounts/grants.ts';
import type { RefreshDueInput, RefreshDueProgress } from '../../schema/workflows.ts';
import { asProject } from '../current-project.ts';
import { canRefresh } from './login-columns.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { loadAccess, refreshAccess } from './credentials.ts';
import type { LoginDependencies } from './dependencies.ts';
import { setReconnectRequired } from './end-grants.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { within } from '../within.ts';
import { warnOfExpiry } from './warn-of-expiry.ts';

const groupSize = 20;
/** A login server may take 50 s for each attempt. */
const defaultGroupMs = 20_000;
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

/**
 * Refreshes at once a group of due logins, of each project in turn. One that takes longer than `groupMs` continues
 * without the group.
 */
export async function refreshDue(
  dependencies: LoginDependencies,
  { except }: RefreshDueInput,
  { groupMs = defaultGroupMs } = {},
): Promise<RefreshDueProgress> {
  const due = await claimDueGrants(dependencies.db, { limit: groupSize, except, claimMs });
  const refreshed = await Promise.all(
    due.map(async (grant) => ({
      ...grant,
      isAway: (await within(groupMs, refreshOne(dependencies, grant))) !== 'done',
    })),
  );
  return { isLeft: due.length === groupSize, away: findAway(refreshed) };
}

type Refreshed = DueGrant & { isAway: boolean };

/**
 * `<project>/<network>` where every refresh failed, and a network where all of several projects did: a server that
 * fails for one project may be its own.
 */
function findAway(refreshed: readonly Refreshed[]): string[] {
  return [...Map.groupBy(refreshed, ({ platform }) => platform)].flatMap(([platform, group]) => {
    const projects = Map.groupBy(group, ({ project_id }) => project_id);
    const away = [...projects]
      .filter(([, own]) => own.every(({ isAway }) => isAway))
      .map(([projectId]) => `${projectId}/${platform}`);
    return away.length > 1 && away.length === projects.size ? [...away, platform] : away;
  });
}

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
    const result = await asProject(project_id, () => refreshAccess(dependencies, platform, access));
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
