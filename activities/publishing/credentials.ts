// The credentials of an account: loaded for each phase, refreshed by one process at a time.
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
import { inMs } from '../../schema/database/database-clock.ts';
import { insertChanges } from '../../schema/database/live/changes.ts';
import type { Db } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import type { Traits } from '../../schema/platforms/definition.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import type { Credentials, Platform, RefreshedCredentials } from '../platforms/platform.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { takeRefreshed, toPlatformError } from './platform-answer.ts';

export interface Access {
  accountId: string;
  externalAccountId: string;
  credentials: Credentials;
  credentialVersion: number;
  traits: Traits;
}

type AccessDependencies = Pick<AdvanceDependencies, 'db' | 'vault' | 'notifier' | 'previewEvents'>;

const refreshTimeoutMs = 20_000;
/** Longer than two attempts and the write can take, so a lease expires only if its holder died. */
const leaseMs = 60_000;
const checkEveryMs = 100;
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
 * Gets newer credentials than `access` has, by a refresh here or in another process. Rotating tokens die
 * when two refresh at once, hence the lease. Returns how they were renewed, or the error.
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
    await sleep(checkEveryMs);
  }
  try {
    const fresh = await askTwice(platform, access);
    await writeFresh(dependencies, access, fresh);
    return 'refreshed';
  } catch (error) {
    if (error instanceof PlatformError) return toRefreshError(error);
    throw error;
  } finally {
    await dropLease(dependencies.db, access.accountId, leaseId);
  }
}

/** The network may have rotated the token although its answer was lost. A second attempt shows it. */
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

/** Only the refresh is uncertain; no phase had started. A rejected refresh is a rejected login. */
function toRefreshError(error: PlatformError): PlatformError {
  const { kind, message, options } = error;
  if (kind === 'unknown_outcome') return new PlatformError('unavailable', message, options);
  if (kind === 'rejected') return new PlatformError('reauthorize', message, options);
  return error;
}

/** These tokens exist nowhere else, so a short outage of the database must not lose them. */
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
  await inTransaction(db, notifier, async (trx) => {
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
 * The network no longer accepts the credentials: the account must be reconnected, and an event reports
 * that. False: the account has newer credentials.
 */
export async function setReconnectRequired(
  { db, notifier, previewEvents }: AccessDependencies,
  access: Access,
  reason: DisconnectReason,
): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
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
        type: 'account.disconnected',
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
}
