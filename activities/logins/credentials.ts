// The credentials of an account. They are loaded for each phase. One process at a time refreshes them, for
// all accounts of their grant.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openJoinedApp } from '../../schema/database/accounts/apps.ts';
import { freeExternalId, updateAccount } from '../../schema/database/accounts/accounts.ts';
import {
  releaseRefreshLease,
  findLogin,
  hasCredentials,
  replaceCredentials,
  acquireRefreshLease,
  type LoginRow,
} from '../../schema/database/accounts/credentials.ts';
import {
  countFailedRefresh,
  lockActiveAccounts,
  openCredentials,
  postponeRefresh,
} from '../../schema/database/accounts/grants.ts';
import { recordRefreshed } from '../../schema/database/events/account-events.ts';
import { insertAccountChanges } from '../../schema/database/live/changes.ts';
import type { Db, SocialAccountRow, Transaction } from '../../schema/database/tables.ts';
import type { Vault } from '../../schema/database/vault.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { nextRefreshDelay } from '../../schema/retry.ts';
import type { App, Traits } from '../../schema/platforms/definition.ts';
import type { LoginDependencies } from './dependencies.ts';
import type { Credentials, Platform, RefreshedCredentials } from '../platforms/platform.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { loginColumns } from './login-columns.ts';
import { readRefreshed, toPlatformError } from '../platforms/platform-answer.ts';

export interface Access {
  accountId: string;
  externalAccountId: string;
  grantId: string;
  /** The app that made the grant. Null: the grant was made without an app. */
  app: App | null;
  credentials: Credentials;
  credentialVersion: number;
  traits: Traits;
}

export type AccessDependencies = Omit<LoginDependencies, 'platforms'>;

/** This timeout is long, because a refresh that is given up may have used up the only token. */
const refreshTimeoutMs = 50_000;
const revokeTimeoutMs = 20_000;
/** Longer than two attempts take. A lease expires if its holder died, or can't write its credentials. */
const leaseMs = 120_000;
/**
 * After an outage of the database, the holder of an expired lease has this long to write the new credentials.
 */
const takeOverMs = 10_000;
const checkEveryMs = 100;

/** Undefined: the account is not connected. */
export async function loadAccess(
  { db, vault }: Pick<AccessDependencies, 'db' | 'vault'>,
  accountId: string,
): Promise<Access | undefined> {
  return openAccess(vault, await findLogin(db, accountId));
}

export function openAccess(vault: Vault, row: LoginRow | undefined): Access | undefined {
  const credentials = row && openCredentials(vault, row);
  if (!credentials) return undefined;
  return {
    accountId: row.account_id,
    externalAccountId: row.external_account_id,
    grantId: row.id,
    app: openJoinedApp(vault, row),
    credentials,
    credentialVersion: row.credential_version,
    traits: row.traits,
  };
}

/**
 * Gets newer credentials than those of `access`, by a refresh here or in another process. Rotating tokens die
 * when two refresh at once, hence the lease. Returns how the credentials were renewed, or the error.
 */
export async function refreshAccess(
  dependencies: AccessDependencies,
  platform: Platform,
  access: Access,
): Promise<'refreshed' | 'replaced' | PlatformError> {
  const leaseId = randomUUID();
  if (!(await waitForLease(dependencies, access, leaseId))) return 'replaced';
  try {
    await dependencies.refreshes.track(access.grantId, () =>
      refresh(dependencies, platform, access),
    );
    return 'refreshed';
  } catch (thrown) {
    if (!(thrown instanceof PlatformError)) throw thrown;
    const error = toRefreshError(thrown);
    if (error.kind !== 'reauthorize') await recordFailure(dependencies.db, access, error);
    return error;
  } finally {
    await releaseRefreshLease(dependencies.db, access.grantId, leaseId);
  }
}

/**
 * Returns once this process holds the lease. After it took over an expired lease, waits `takeOverMs` more.
 * False: the credentials have been replaced.
 */
async function waitForLease(
  dependencies: AccessDependencies,
  access: Access,
  leaseId: string,
): Promise<boolean> {
  const { db } = dependencies;
  const { accountId, grantId: id, credentialVersion: credential_version } = access;
  let takenOverAtMs: number | undefined;
  for (;;) {
    const current = await loadAccess(dependencies, accountId);
    if (!current || !isSame(current, access)) {
      if (takenOverAtMs !== undefined) await releaseRefreshLease(db, id, leaseId);
      return false;
    }
    if (takenOverAtMs === undefined) {
      const taken = await acquireRefreshLease(db, { id, credential_version }, leaseId, leaseMs);
      if (taken === 'free') return true;
      if (taken === 'expired') takenOverAtMs = performance.now();
    } else if (performance.now() - takenOverAtMs > takeOverMs) return true;
    await sleep(checkEveryMs);
  }
}

/** Throws only PlatformErrors, except when the process stops. */
async function refresh(
  dependencies: AccessDependencies,
  platform: Platform,
  access: Access,
): Promise<void> {
  const fresh = await askTwice(platform, access);
  const isWritten = await dependencies.refreshes.write(access.grantId, () =>
    writeOnce(dependencies, platform, access, fresh),
  );
  if (!isWritten) await revokeIfEnded(dependencies, platform, access, fresh);
}

/** The credentials have not been replaced. */
function isSame(current: Access, { grantId, credentialVersion }: Access): boolean {
  return current.grantId === grantId && current.credentialVersion === credentialVersion;
}

/**
 * The network may have rotated the token although its answer was lost. A second attempt shows whether the old
 * token still works.
 */
async function askTwice(
  platform: Platform,
  { credentials, app }: Access,
): Promise<RefreshedCredentials> {
  const ask = async () => {
    try {
      const signal = AbortSignal.timeout(refreshTimeoutMs);
      return readRefreshed(await platform.refresh!({ credentials, app }, signal));
    } catch (thrown) {
      throw toPlatformError(thrown);
    }
  };
  return ask().catch((error: PlatformError) => {
    if (error.kind !== 'unknown_outcome') throw error;
    return ask();
  });
}

/** Only the refresh is uncertain; no phase had started. A rejected refresh is a rejected login. */
function toRefreshError(error: PlatformError): PlatformError {
  const { kind, message, options } = error;
  if (kind === 'unknown_outcome') return new PlatformError('unavailable', message, options);
  if (kind === 'rejected') return new PlatformError('reauthorize', message, options);
  return error;
}

/** The login may still be good, so the schedule asks again later. */
async function recordFailure(
  db: Db,
  { grantId: id, credentialVersion: credential_version }: Access,
  { options: { retryAfterMs = 0 } }: PlatformError,
): Promise<void> {
  const grant = { id, credential_version };
  const failures = await countFailedRefresh(db, grant);
  if (failures === undefined) return;
  await postponeRefresh(db, grant, Math.max(nextRefreshDelay(failures), retryAfterMs));
}

/** Ends a login at its network if the login was disconnected during the refresh. Ignores errors. */
async function revokeIfEnded(
  { db }: AccessDependencies,
  platform: Platform,
  { grantId, app }: Access,
  { credentials }: RefreshedCredentials,
): Promise<void> {
  // The disconnect has already decided about all logins of the user.
  if (platform.revokesAll) return;
  // Another process has written newer credentials of the same login.
  if (!platform.revoke || (await hasCredentials(db, grantId))) return;
  const signal = AbortSignal.timeout(revokeTimeoutMs);
  await platform.revoke({ credentials, app }, signal).catch(() => undefined);
}

/** False: the grant has other credentials by now, or has lost its credentials. */
async function writeOnce(
  { db, vault, notifier, previewEvents }: AccessDependencies,
  platform: Platform,
  { accountId, grantId, credentialVersion }: Access,
  fresh: RefreshedCredentials,
): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const accounts = await lockActiveAccounts(trx, [grantId]);
    const grant = { id: grantId, credential_version: credentialVersion };
    const columns = loginColumns(vault, platform, grantId, fresh);
    if (!(await replaceCredentials(trx, grant, columns))) return false;
    const account = accounts.find(({ id }) => id === accountId);
    if (account) await writeIdentity(trx, account, fresh);
    await insertAccountChanges(trx, accounts, 'refreshed');
    await recordRefreshed(trx, accounts, { [accountId]: fresh.accountName }, { previewEvents });
    return true;
  });
}

/**
 * Writes the name, the ID and the traits of the account. They belong to the account that the refresh was made
 * for.
 */
async function writeIdentity(
  trx: Transaction,
  { id, project_id }: SocialAccountRow,
  { accountName, externalAccountId, traits }: RefreshedCredentials,
): Promise<void> {
  const columns = {
    ...(accountName !== undefined && { account_name: accountName }),
    ...(traits && { traits: JSON.stringify(traits) }),
    ...(externalAccountId !== undefined && {
      external_account_id: freeExternalId(externalAccountId),
    }),
  };
  if (Object.keys(columns).length === 0) return;
  await updateAccount(trx, project_id, id, columns);
}
