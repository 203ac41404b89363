// Queries on connected accounts. Only the vault seals and opens their credentials.
import { sql, type Insertable, type Updateable } from 'kysely';
import type { AccountStatus } from '../../accounts.ts';
import { notFound } from '../../wire/errors.ts';
import type { Slice } from '../../wire/listing.ts';
import type { PlatformName } from '../../platforms/index.ts';
import type { Database, Db, SocialAccountRow, Transaction } from '../tables.ts';
import { inScope, type RowScope } from '../row-scope.ts';
import type { Vault } from '../vault.ts';

export type AccountColumns = Updateable<Database['social_accounts']>;

export async function getAccountRow(
  db: Db,
  scope: RowScope,
  id: string,
): Promise<SocialAccountRow> {
  const row = await db
    .selectFrom('social_accounts')
    .selectAll()
    .where(inScope(scope, 'social_accounts'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('account', id);
  return row;
}

/** In no particular order. */
export async function listAccountsById(
  db: Db,
  scope: RowScope,
  ids: string[],
): Promise<SocialAccountRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('social_accounts')
    .modifyFront(sql.raw(`/* prepared: list_accounts_by_id_${scope.environment} */`))
    .selectAll()
    .where(inScope(scope, 'social_accounts'))
    .where('id', '=', sql<string>`any (${ids}::text[])`)
    .execute();
}

export interface AccountFilters {
  platform?: PlatformName | undefined;
  external_user_id?: string | undefined;
  status?: AccountStatus | undefined;
}

export function listAccountRows(
  db: Db,
  scope: RowScope,
  { platform, external_user_id, status }: AccountFilters,
  { limit, before }: Slice,
): Promise<SocialAccountRow[]> {
  return db
    .selectFrom('social_accounts')
    .selectAll()
    .where(inScope(scope, 'social_accounts'))
    .$if(platform !== undefined, (query) => query.where('platform', '=', platform!))
    .$if(external_user_id !== undefined, (query) =>
      query.where('external_user_id', '=', external_user_id!),
    )
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function lockAccount(
  trx: Transaction,
  scope: RowScope,
  id: string,
): Promise<SocialAccountRow> {
  const row = await trx
    .selectFrom('social_accounts')
    .selectAll()
    .where(inScope(scope, 'social_accounts'))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw notFound('account', id);
  return row;
}

/** Unlike `lockAccount`, it doesn't block inserts of results that refer to the account. */
export function lockAccountBesideResults(
  trx: Transaction,
  projectId: string,
  id: string,
): Promise<SocialAccountRow> {
  return trx
    .selectFrom('social_accounts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

export function lockAccountAtNetwork(
  trx: Transaction,
  projectId: string,
  platform: PlatformName,
  externalAccountId: string,
): Promise<SocialAccountRow | undefined> {
  return trx
    .selectFrom('social_accounts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('platform', '=', platform)
    .where('external_account_id', '=', externalAccountId)
    .forUpdate()
    .executeTakeFirst();
}

/** Undefined: another transaction has just inserted the same account. */
export function insertAccount(
  trx: Transaction,
  account: Insertable<Database['social_accounts']>,
): Promise<SocialAccountRow | undefined> {
  return trx
    .insertInto('social_accounts')
    .values(account)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'platform', 'external_account_id']).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Sets new credentials or none. A refresh of the old ones that is in flight then writes nothing. */
export function setAccountCredentials(
  trx: Transaction,
  projectId: string,
  id: string,
  columns: AccountColumns,
): Promise<SocialAccountRow> {
  return trx
    .updateTable('social_accounts')
    .set({
      ...columns,
      credential_version: sql<number>`credential_version + 1`,
      refresh_lease_id: null,
      refresh_lease_until: null,
    })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * SQL for an update: the account's new ID at the network, or the old one if another account of the project
 * has the new one. If such an account is inserted at the same time, the update fails and is repeated.
 */
export function freeExternalId(externalAccountId: string) {
  return sql<string>`case when exists (
      select from social_accounts other
      where other.project_id = social_accounts.project_id
        and other.platform = social_accounts.platform
        and other.external_account_id = ${externalAccountId}
    ) then social_accounts.external_account_id else ${externalAccountId} end`;
}

export async function hasActiveSandboxAccount(db: Db): Promise<boolean> {
  // Postgres must recognize the condition of the partial index.
  const { rows } = await sql`
    select id from social_accounts where platform = 'sandbox' and status = 'active'
    order by id limit 1`.execute(db);
  return rows.length > 0;
}

export function sealCredentials(
  vault: Vault,
  accountId: string,
  credentials: Record<string, string>,
): { credentials: Buffer; credentials_key_id: string } {
  const sealed = vault.seal(JSON.stringify(credentials), sealContext(accountId));
  return { credentials: sealed.ciphertext, credentials_key_id: sealed.keyId };
}

/** Null: the account has none. */
export function openCredentials(
  vault: Vault,
  account: Pick<SocialAccountRow, 'id' | 'credentials' | 'credentials_key_id'>,
): Record<string, string> | null {
  const { id, credentials, credentials_key_id: keyId } = account;
  if (credentials === null || keyId === null) return null;
  const opened = vault.open({ ciphertext: credentials, keyId }, sealContext(id));
  return JSON.parse(opened) as Record<string, string>;
}

const sealContext = (accountId: string) => `social_accounts/${accountId}`;
