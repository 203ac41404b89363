// The credentials of an account: loaded and opened where they are used, refreshed by one at a time.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { DisconnectReason } from '../../schema/accounts.ts';
import { toAccountEventData } from '../../schema/database/accounts/event-data.ts';
import {
  freeExternalId,
  openCredentials,
  sealCredentials,
} from '../../schema/database/accounts/accounts.ts';
import { inMs } from '../../schema/database/ago.ts';
import { insertChanges } from '../../schema/database/live/changes.ts';
import type { Db } from '../../schema/database/tables.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import type { Traits } from '../../schema/platforms/definition.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import type { Credentials, Platform, RefreshedCredentials } from '../platforms/platform.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { toPlatformError } from './failures.ts';
import { takeRefreshed } from './platform-answer.ts';

export interface Access {
  accountId: string;
  externalAccountId: string;
  credentials: Credentials;
  credentialVersion: number;
  traits: Traits;
}

type AccessDependencies = Pick<AdvanceDependencies, 'db' | 'vault' | 'notifier' | 'previewEvents'>;

const refreshTimeoutMs = 20_000;
/** Longer than two tries and their writing can take: a lease ends only under a dead holder. */
const leaseMs = 60_000;
const lookAgainMs = 100;
const writeTries = 5;
const writeAgainMs = 1_000;

/** Undefined: the account is not connected. */
export async function loadAccess(
  { db, vault }: Pick<AccessDependencies, 'db' | 'vault'>,
  accountId: string,
): Promise<Access | undefined> {
  const row = await db
    .selectFrom('social_accounts')
    .modifyFront(sql.raw('/* prepared: load_access */'))
    .select(['id', 'external_account_id', 'credentials', 'credentials_key_id'])
    .select(['credential_version', 'traits'])
    .where('id', '=', accountId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  const credentials = row && openCredentials(vault, row);
  if (!credentials) return undefined;
  return {
    accountId,
    externalAccountId: row.external_account_id,
    credentials,
    credentialVersion: row.credential_version,
    traits: row.traits,
  };
}

/**
 * Brings the account to newer credentials than `access` has: by refreshing them, or by waiting for
 * another that does. Rotating tokens die when two refresh at once, hence the lease. Returns who did
 * it, or why nobody could.
 */
export async function refreshAccess(
  dependencies: AccessDependencies,
  platform: Platform,
  access: Access,
): Promise<'refreshed' | 'replaced' | PlatformError> {
  const leaseId = randomUUID();
  for (;;) {
    const current = await loadAccess(dependencies, access.accountId);
    if (current?.credentialVersion !== access.credentialVersion) return 'replaced';
    if (await takeLease(dependencies.db, access, leaseId)) break;
    await sleep(lookAgainMs);
  }
  try {
    const fresh = await askTwice(platform, access);
    await writeFresh(dependencies, access, fresh);
    return 'refreshed';
  } catch (error) {
    if (error instanceof PlatformError) return ofRefresh(error);
    throw error;
  } finally {
    await dropLease(dependencies.db, access.accountId, leaseId);
  }
}

/** The network may have rotated the token and its answer be lost: one try more tells. */
async function askTwice(
  platform: Platform,
  { credentials }: Access,
): Promise<RefreshedCredentials> {
  const ask = async () =>
    takeRefreshed(await platform.refresh!(credentials, AbortSignal.timeout(refreshTimeoutMs)));
  try {
    return await ask();
  } catch (thrown) {
    if (toPlatformError(thrown).kind !== 'unknown_outcome') throw toPlatformError(thrown);
  }
  return ask().catch((thrown: unknown) => {
    throw toPlatformError(thrown);
  });
}

/** What is unknown here is the refresh, with which no phase was begun; what is refused is the login. */
function ofRefresh(error: PlatformError): PlatformError {
  const { kind, message, options } = error;
  if (kind === 'unknown_outcome') return new PlatformError('unavailable', message, options);
  if (kind === 'rejected') return new PlatformError('reauthorize', message, options);
  return error;
}

/** These tokens exist nowhere else: a database that is briefly away must not cost the account. */
async function writeFresh(
  dependencies: AccessDependencies,
  access: Access,
  fresh: RefreshedCredentials,
): Promise<void> {
  for (let tries = 1; tries < writeTries; tries++) {
    try {
      await writeOnce(dependencies, access, fresh);
      return;
    } catch {
      await sleep(writeAgainMs);
    }
  }
  await writeOnce(dependencies, access, fresh);
}

async function writeOnce(
  { db, vault, notifier }: AccessDependencies,
  { accountId, credentialVersion }: Access,
  fresh: RefreshedCredentials,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('social_accounts')
      .set({
        ...sealCredentials(vault, accountId, fresh.credentials),
        credential_version: credentialVersion + 1,
        token_expires_at: fresh.tokenExpiresAt,
        ...(fresh.accountName !== undefined && { account_name: fresh.accountName }),
        ...(fresh.traits && { traits: JSON.stringify(fresh.traits) }),
        ...(fresh.externalAccountId !== undefined && {
          external_account_id: freeExternalId(fresh.externalAccountId),
        }),
      })
      .where('id', '=', accountId)
      .where('credential_version', '=', credentialVersion)
      .returning('project_id')
      .executeTakeFirst();
    if (!row) return;
    const { project_id } = row;
    await insertChanges(trx, [
      { project_id, subject: 'account', subject_id: accountId, kind: 'refreshed' },
    ]);
  });
  notifier.notify('fanfare_changes');
}

async function takeLease(db: Db, access: Access, leaseId: string): Promise<boolean> {
  const taken = await db
    .updateTable('social_accounts')
    .set({
      refresh_lease_id: leaseId,
      refresh_lease_until: inMs(leaseMs),
    })
    .where('id', '=', access.accountId)
    .where('credential_version', '=', access.credentialVersion)
    .where((eb) =>
      eb.or([
        eb('refresh_lease_until', 'is', null),
        eb('refresh_lease_until', '<', sql<Date>`now()`),
      ]),
    )
    .returning('id')
    .executeTakeFirst();
  return taken !== undefined;
}

async function dropLease(db: Db, accountId: string, leaseId: string): Promise<void> {
  await db
    .updateTable('social_accounts')
    .set({ refresh_lease_id: null, refresh_lease_until: null })
    .where('id', '=', accountId)
    .where('refresh_lease_id', '=', leaseId)
    .execute();
}

/**
 * The network no longer takes our credentials: the account waits for its user, and one event reports it.
 * False: the account has other credentials by now.
 */
export async function setReconnectRequired(
  { db, notifier, previewEvents }: AccessDependencies,
  access: Access,
  reason: DisconnectReason,
): Promise<boolean> {
  const isSet = await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('social_accounts')
      .set({ status: 'reconnect_required', credentials: null, credentials_key_id: null })
      .where('id', '=', access.accountId)
      .where('status', '=', 'active')
      .where('credential_version', '=', access.credentialVersion)
      .returningAll()
      .executeTakeFirst();
    if (!row) return false;
    const data = toAccountEventData(row, reason);
    await recordEvent(
      trx,
      {
        projectId: row.project_id,
        environment: row.environment,
        kind: 'account.disconnected',
        data,
        socialAccountId: row.id,
      },
      { previewEvents },
    );
    await insertChanges(trx, [
      {
        project_id: row.project_id,
        subject: 'account',
        subject_id: row.id,
        kind: 'reconnect_required',
      },
    ]);
    return true;
  });
  if (isSet) {
    notifier.notify('fanfare_changes');
    notifier.notify('fanfare_deliveries');
  }
  return isSet;
}
