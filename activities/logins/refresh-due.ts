// The activity of `refreshLogins`: refreshes logins before they expire, and checks whether other logins still
// work. Each call handles a small group of each kind.
import {
  claimDueGrants,
  postponeCheck,
  type DueGrant,
} from '../../schema/database/accounts/grants.ts';
import type { RefreshDueInput, RefreshDueProgress } from '../../schema/workflows.ts';
import { asProject } from '../current-project.ts';
import { toPlatformError } from '../platforms/platform-answer.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import type { Platform } from '../platforms/platform.ts';
import { loadAccess, refreshAccess, type Access } from './credentials.ts';
import type { LoginDependencies } from './dependencies.ts';
import { setReconnectRequired } from './end-grants.ts';
import { canRefresh, nextCheckMs } from './login-columns.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { within } from '../within.ts';
import { warnOfExpiry } from './warn-of-expiry.ts';

const groupSize = 20;
/** Shorter than the 50 s that each attempt at a login server may take. */
const defaultGroupMs = 20_000;
/** If this process dies, the login is due again after this. */
const claimMs = 600_000;
const checkTimeoutMs = 20_000;
/** Wait before the next check if the network didn't answer. */
const checkAgainMs = 3_600_000;

/** `away`: the network did not answer. `done`: any other end. */
type Ending = 'done' | 'away';

export function createRefreshing(dependencies: LoginDependencies) {
  return {
    refreshDue: (input: RefreshDueInput): Promise<RefreshDueProgress> =>
      withHeartbeat(() => refreshDue(dependencies, input)),
    warnOfExpiry: (): Promise<boolean> => warnOfExpiry(dependencies),
  };
}

/**
 * Refreshes a group of due logins and checks another group, all at once. The projects take turns. Logins that take
 * longer than `groupMs` continue after the return.
 */
export async function refreshDue(
  dependencies: LoginDependencies,
  { except }: RefreshDueInput,
  { groupMs = defaultGroupMs } = {},
): Promise<RefreshDueProgress> {
  const { db } = dependencies;
  const claim = { limit: groupSize, except, claimMs };
  const toRefresh = await claimDueGrants(db, claim);
  const toCheck = await claimDueGrants(db, { ...claim, column: 'check_at' });
  const tasks = [
    ...toRefresh.map((grant) => ({ grant, ask: refreshLogin })),
    ...toCheck.map((grant) => ({ grant, ask: checkLogin })),
  ];
  const asked = await Promise.all(
    tasks.map(async ({ grant, ask }) => ({
      ...grant,
      isAway: (await within(groupMs, askOne(dependencies, grant, ask))) !== 'done',
    })),
  );
  const isLeft = [toRefresh, toCheck].some(({ length }) => length === groupSize);
  return { isLeft, away: findAway(asked) };
}

type Asked = DueGrant & { isAway: boolean };

/**
 * Lists `<project>/<network>` if none of the project's logins got an answer. Also lists `<network>` if no
 * login of any project got an answer, and there are several projects. A server that fails for only one
 * project may be the project's own.
 */
function findAway(asked: readonly Asked[]): string[] {
  return [...Map.groupBy(asked, ({ platform }) => platform)].flatMap(([platform, group]) => {
    const projects = Map.groupBy(group, ({ project_id }) => project_id);
    const away = [...projects]
      .filter(([, own]) => own.every(({ isAway }) => isAway))
      .map(([projectId]) => `${projectId}/${platform}`);
    return away.length > 1 && away.length === projects.size ? [...away, platform] : away;
  });
}

interface Due {
  dependencies: LoginDependencies;
  log: LoginDependencies['log'];
  platform: Platform;
  access: Access;
}

type AskLogin = (due: Due) => Promise<Ending>;

/** Never throws, because one login must not hold up the others. */
async function askOne(
  dependencies: LoginDependencies,
  { id, project_id, platform: name, account_id, credential_version }: DueGrant,
  ask: AskLogin,
): Promise<Ending> {
  const log = dependencies.log.child({ component: 'logins', grant_id: id, platform: name });
  try {
    const platform = dependencies.platforms.get(name);
    const access = account_id === null ? undefined : await loadAccess(dependencies, account_id);
    // Another refresh may have come first.
    if (!platform || access?.credentialVersion !== credential_version) return 'done';
    return await asProject(project_id, () => ask({ dependencies, log, platform, access }));
  } catch (err) {
    log.error({ err }, 'the refresh or the check of a login failed');
    return 'done';
  }
}

async function refreshLogin({ dependencies, log, platform, access }: Due): Promise<Ending> {
  if (!canRefresh(platform, access.credentials)) return 'done';
  const result = await refreshAccess(dependencies, platform, access);
  if (!(result instanceof PlatformError)) {
    log.debug('a login is refreshed');
    return 'done';
  }
  log.warn({ err: result }, 'a login could not be refreshed');
  if (result.kind !== 'reauthorize') return 'away';
  return end(dependencies, access, result);
}

async function checkLogin({ dependencies, log, platform, access }: Due): Promise<Ending> {
  if (!platform.check) return 'done';
  const { credentials, app, grantId: id, credentialVersion: credential_version } = access;
  const signal = AbortSignal.timeout(checkTimeoutMs);
  const checked = platform.check({ credentials, app }, signal);
  const error = await checked.then(() => undefined, toPlatformError);
  if (error?.kind === 'reauthorize') {
    log.warn({ err: error }, 'a login has ended');
    return end(dependencies, access, error);
  }
  const grant = { id, credential_version };
  await postponeCheck(dependencies.db, grant, error ? checkAgainMs : nextCheckMs());
  if (!error) {
    log.debug('a login works');
    return 'done';
  }
  log.warn({ err: error }, 'a login could not be checked');
  return 'away';
}

async function end(
  dependencies: LoginDependencies,
  access: Access,
  { options }: PlatformError,
): Promise<Ending> {
  const reason = options.isRevoked ? 'revoked' : 'token_expired';
  await setReconnectRequired(dependencies, access, reason);
  return 'done';
}
