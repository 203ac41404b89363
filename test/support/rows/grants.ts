// Grants of accounts, written and read without an API.
import type { Credentials, Login } from '../../../activities/platforms/platform.ts';
import { openCredentials, sealCredentials } from '../../../schema/database/accounts/grants.ts';
import type { Db } from '../../../schema/database/tables.ts';
import type { Vault } from '../../../schema/database/vault.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { rowsVault } from './rows.ts';

interface NewGrant {
  projectId: string;
  platform?: PlatformName;
  credentials?: Credentials;
  appId?: string | null;
  tokenExpiresAt?: Date | null;
  refreshAt?: Date | null;
}

export async function addGrant(
  db: Db,
  {
    projectId,
    platform = 'sandbox',
    credentials = { token: 't' },
    appId = null,
    tokenExpiresAt = null,
    refreshAt = null,
  }: NewGrant,
  vault = rowsVault,
): Promise<string> {
  const id = newId('grant');
  await db
    .insertInto('grants')
    .values({
      id,
      project_id: projectId,
      platform,
      app_id: appId,
      token_expires_at: tokenExpiresAt,
      refresh_at: refreshAt,
      ...sealCredentials(vault, id, credentials),
    })
    .execute();
  return id;
}

/** The account with the columns of its grant. Null: the account has no grant. */
export function readGranted(db: Db, accountId: string) {
  return db
    .selectFrom('social_accounts as account')
    .leftJoin('grants', 'grants.id', 'account.grant_id')
    .selectAll('account')
    .select(['credentials', 'credentials_key_id', 'credential_version', 'token_expires_at'])
    .select(['refresh_lease_id', 'refresh_at', 'refresh_failures', 'expiry_warning_at'])
    .where('account.id', '=', accountId)
    .executeTakeFirstOrThrow();
}

/** The credentials of the account. Null: the account has no credentials. */
export async function readCredentials(
  db: Db,
  vault: Vault,
  accountId: string,
): Promise<Credentials | null> {
  const { grant_id, credentials, credentials_key_id } = await readGranted(db, accountId);
  return openCredentials(vault, { id: grant_id ?? '', credentials, credentials_key_id });
}

/** Replaces the credentials of the account in its grant. */
export async function setCredentials(
  db: Db,
  vault: Vault,
  accountId: string,
  credentials: Credentials,
): Promise<void> {
  const { grant_id: grantId } = await readGranted(db, accountId);
  await db
    .updateTable('grants')
    .set(sealCredentials(vault, grantId!, credentials))
    .where('id', '=', grantId)
    .execute();
}

/** Makes the account's login end at this time, without a refresh. The warning before the end is due. */
export async function endLoginSoon(db: Db, accountId: string, tokenExpiresAt: Date): Promise<void> {
  const { grant_id: grantId } = await readGranted(db, accountId);
  await db
    .updateTable('grants')
    .set({ token_expires_at: tokenExpiresAt, expiry_warning_at: new Date(), refresh_at: null })
    .where('id', '=', grantId)
    .execute();
}

/** A login without an app. */
export const loginOf = (credentials: Credentials): Login => ({ credentials, app: null });
