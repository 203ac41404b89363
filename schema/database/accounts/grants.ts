// Queries on grants: logins at networks, whose credentials only the vault seals and opens.
import { sql, type InsertObject } from 'kysely';
import { expiryWarningsMs } from '../../accounts.ts';
import { inMs } from '../database-clock.ts';
import type { PlatformName } from '../../platforms/index.ts';
import type { Database, Db, GrantRow, SocialAccountRow, Transaction } from '../tables.ts';
import type { Vault } from '../vault.ts';
import { insertRevocation } from './revocations.ts';

// To avoid deadlocks, every transaction locks in this order: apps; accounts, by id; grants.

export async function insertGrant(
  trx: Transaction,
  grant: InsertObject<Database, 'grants'>,
): Promise<void> {
  await trx.insertInto('grants').values(grant).execute();
}

/**
 * Call it after accounts have left the grant. Deletes the grant if it has no account left, and returns it, so
 * that its login can be revoked at the network. The revocation is in flight from the commit on.
 */
export async function deleteEmptyGrant(
  trx: Transaction,
  projectId: string,
  id: string,
): Promise<GrantRow | undefined> {
  // Another transaction may be moving another account out of the grant. The last of these transactions
  // deletes the grant.
  await trx
    .selectFrom('grants')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  const left = await trx
    .deleteFrom('grants')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where(sql<boolean>`not exists (select from social_accounts where grant_id = grants.id)`)
    .returningAll()
    .executeTakeFirst();
  if (left?.credentials) await insertRevocation(trx, left);
  return left;
}

/** The grants of these apps whose login has not ended. */
export async function listLiveGrants(trx: Transaction, appIds: string[]): Promise<string[]> {
  const grants = await trx
    .selectFrom('grants')
    .select('id')
    .where('app_id', '=', sql<string>`any (${appIds}::text[])`)
    .where('credentials', 'is not', null)
    .execute();
  return grants.map(({ id }) => id);
}

/** The grants of these accounts of the project. */
export function listGrantsOfAccounts(
  db: Db,
  projectId: string,
  platform: PlatformName,
  externalAccountIds: string[],
): Promise<GrantRow[]> {
  return db
    .selectFrom('social_accounts as account')
    .innerJoin('grants', 'grants.id', 'account.grant_id')
    .selectAll('grants')
    .where('account.project_id', '=', projectId)
    .where('account.platform', '=', platform)
    .where('account.external_account_id', '=', sql<string>`any (${externalAccountIds}::text[])`)
    .execute();
}

/** A login that is due for a refresh, or for a check. */
export interface DueGrant {
  id: string;
  project_id: string;
  platform: PlatformName;
  credential_version: number;
  /** One of the active accounts of the login. Null: no account of the login is active. */
  account_id: string | null;
}

/**
 * Claims due logins of each project in turn, the longest overdue first. No other worker claims them for
 * `claimMs`. `except`: names of networks, or `<project>/<network>`. `column`: what the logins are due for.
 */
export async function claimDueGrants(
  db: Db,
  {
    limit,
    except,
    claimMs,
    column = 'refresh_at',
  }: {
    limit: number;
    except: string[];
    claimMs: number;
    column?: 'refresh_at' | 'check_at';
  },
): Promise<DueGrant[]> {
  const at = sql.ref(`grants.${column}`);
  const { rows } = await sql<DueGrant>`
    update grants set ${sql.ref(column)} = ${inMs(claimMs)} where id = any (array(
      select grants.id from grants join (
        select id, row_number() over (partition by project_id order by ${at}) as place
        from grants
        where ${at} <= now() and platform <> all (${except}::text[])
          and project_id || '/' || platform <> all (${except}::text[])
      ) due using (id)
      where ${at} <= now()
      order by due.place, ${at} limit ${limit} for update of grants skip locked))
    returning id, project_id, platform, credential_version, (
      select account.id from social_accounts account
      where account.grant_id = grants.id and account.status = 'active' order by account.id limit 1
    ) as account_id`.execute(db);
  return rows;
}

/** Changes only a login that a schedule checks. */
export async function postponeCheck(
  db: Db,
  { id, credential_version }: Pick<GrantRow, 'id' | 'credential_version'>,
  waitMs: number,
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ check_at: inMs(waitMs) })
    .where('id', '=', id)
    .where('credential_version', '=', credential_version)
    .where('check_at', 'is not', null)
    .execute();
}

/**
 * Records that a refresh of these credentials failed for now. Returns how many refreshes in a row have
 * failed.
 */
export async function countFailedRefresh(
  db: Db,
  { id, credential_version }: Pick<GrantRow, 'id' | 'credential_version'>,
): Promise<number | undefined> {
  const row = await db
    .updateTable('grants')
    .set({ refresh_failures: sql<number>`refresh_failures + 1` })
    .where('id', '=', id)
    .where('credential_version', '=', credential_version)
    .where('credentials', 'is not', null)
    .returning('refresh_failures')
    .executeTakeFirst();
  return row?.refresh_failures;
}

/** Changes only a login that a schedule refreshes. */
export async function postponeRefresh(
  db: Db,
  { id, credential_version }: Pick<GrantRow, 'id' | 'credential_version'>,
  waitMs: number,
): Promise<void> {
  await db
    .updateTable('grants')
    .set({ refresh_at: inMs(waitMs) })
    .where('id', '=', id)
    .where('credential_version', '=', credential_version)
    .where('refresh_at', 'is not', null)
    .execute();
}

export interface ExpiryWarnings {
  /** The active accounts of the logins, locked. Each comes with the time at which its login ends. */
  warnings: { account: SocialAccountRow; endsAt: Date }[];
  /** Whether more logins may be due. */
  isLeft: boolean;
}

/** Takes the due warnings of at most `limit` logins, and sets when each login's next warning is due. */
export async function claimExpiryWarnings(
  trx: Transaction,
  limit: number,
): Promise<ExpiryWarnings> {
  const due = await trx
    .selectFrom('grants')
    .select('id')
    .where('expiry_warning_at', '<=', sql<Date>`now()`)
    .orderBy('expiry_warning_at')
    .limit(limit)
    .execute();
  const ids = due.map(({ id }) => id);
  const accounts = await lockActiveAccounts(trx, ids);
  const lastMs = sql`${expiryWarningsMs.last} * interval '1 ms'`;
  // Meanwhile, another worker may have taken a warning, or the login may have changed.
  const { rows } = await sql<{ id: string; token_expires_at: Date }>`
    update grants set expiry_warning_at =
      case when token_expires_at > now() + ${lastMs} then token_expires_at - ${lastMs} end
    where id = any (array(
      select id from grants where id = any (${ids}::text[]) and expiry_warning_at <= now()
      for update skip locked))
    returning id, token_expires_at`.execute(trx);
  const ends = new Map(rows.map(({ id, token_expires_at }) => [id, token_expires_at]));
  const warnings = accounts.flatMap((account) => {
    const endsAt = ends.get(account.grant_id!);
    return endsAt ? [{ account, endsAt }] : [];
  });
  return { warnings, isLeft: due.length === limit };
}

/** Locks the accounts without blocking inserts of results that refer to them. */
export function lockActiveAccounts(
  trx: Transaction,
  grantIds: string[],
): Promise<SocialAccountRow[]> {
  return trx
    .selectFrom('social_accounts')
    .selectAll()
    .where('grant_id', '=', sql<string>`any (${grantIds}::text[])`)
    .where('status', '=', 'active')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

export function sealCredentials(
  vault: Vault,
  grantId: string,
  credentials: Record<string, string>,
): { credentials: Buffer; credentials_key_id: string } {
  const sealed = vault.seal(JSON.stringify(credentials), sealContext(grantId));
  return { credentials: sealed.ciphertext, credentials_key_id: sealed.keyId };
}

/** Opens the credentials of a login. Null: the network has ended the login. */
export function openCredentials(
  vault: Vault,
  { id, credentials, credentials_key_id: keyId }: SealedCredentials,
): Record<string, string> | null {
  if (credentials === null || keyId === null) return null;
  const opened = vault.open({ ciphertext: credentials, keyId }, sealContext(id));
  return JSON.parse(opened) as Record<string, string>;
}

type SealedCredentials = Pick<GrantRow, 'id' | 'credentials' | 'credentials_key_id'>;

const sealContext = (grantId: string) => `grants/${grantId}`;
