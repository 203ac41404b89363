// Queries on the credentials of grants: read for an account, leased and replaced by a refresh, ended.
import { sql, type UpdateObject } from 'kysely';
import { inMs } from '../database-clock.ts';
import { executePrepared } from '../prepared.ts';
import type { Database, Db, GrantRow, Transaction } from '../tables.ts';

type GrantVersion = Pick<GrantRow, 'id' | 'credential_version'>;

export type LoginRow = NonNullable<Awaited<ReturnType<typeof findLogin>>>;

/** The login of an active account: its grant, and the app that made the grant. */
export async function findLogin(db: Db, accountId: string) {
  const logins = db
    .selectFrom('social_accounts as account')
    .innerJoin('grants', 'grants.id', 'account.grant_id')
    .leftJoin('platform_apps as app', 'app.id', 'grants.app_id')
    .select(['account.id as account_id', 'account.external_account_id', 'account.traits'])
    .select(['grants.id', 'credentials', 'credentials_key_id', 'credential_version'])
    .select(['app.id as app_id', 'client_id', 'client_secret', 'client_secret_key_id', 'settings'])
    .where('account.id', '=', accountId)
    .where('account.status', '=', 'active');
  const [login] = await executePrepared(db, 'find_login', logins);
  return login;
}

/** False: the grant has ended. */
export async function hasCredentials(db: Db, grantId: string): Promise<boolean> {
  const grant = await db
    .selectFrom('grants')
    .select('id')
    .where('id', '=', grantId)
    .where('credentials', 'is not', null)
    .executeTakeFirst();
  return grant !== undefined;
}

/**
 * Takes the lease of a refresh for `forMs`, unless another process has it or the credentials were replaced. `expired`:
 * the last holder did not release the lease.
 */
export async function acquireRefreshLease(
  db: Db,
  { id, credential_version }: GrantVersion,
  leaseId: string,
  forMs: number,
): Promise<'free' | 'expired' | undefined> {
  const { rows } = await sql<{ was_held: boolean }>`
    update grants set refresh_lease_id = ${leaseId}, refresh_lease_until = ${inMs(forMs)}
    from (select id, refresh_lease_until from grants where id = ${id} for update) as before
    where grants.id = before.id and credential_version = ${credential_version}
      and (before.refresh_lease_until is null or before.refresh_lease_until < now())
    returning before.refresh_lease_until is not null as was_held`.execute(db);
  if (!rows[0]) return undefined;
  return rows[0].was_held ? 'expired' : 'free';
}

export async function releaseRefreshLease(db: Db, id: string, leaseId: string): Promise<void> {
  await db
    .updateTable('grants')
    .set({ refresh_lease_id: null, refresh_lease_until: null })
    .where('id', '=', id)
    .where('refresh_lease_id', '=', leaseId)
    .execute();
}

/** False: the grant has other credentials by now, or none. */
export async function replaceCredentials(
  trx: Transaction,
  { id, credential_version }: GrantVersion,
  columns: UpdateObject<Database, 'grants'>,
): Promise<boolean> {
  const written = await trx
    .updateTable('grants')
    .set({ ...columns, credential_version: credential_version + 1 })
    .where('id', '=', id)
    .where('credential_version', '=', credential_version)
    .returning('id')
    .executeTakeFirst();
  return written !== undefined;
}

/** The columns of an ended login. A refresh that is in flight then writes nothing. */
const noCredentials = {
  credentials: null,
  credentials_key_id: null,
  refresh_at: null,
  check_at: null,
  expiry_warning_at: null,
  credential_version: sql<number>`credential_version + 1`,
};

/** Returns the grant. Undefined: the grant has other credentials by now, or none. */
export function endCredentials(
  trx: Transaction,
  { id, credential_version }: GrantVersion,
): Promise<Pick<GrantRow, 'project_id' | 'platform'> | undefined> {
  return trx
    .updateTable('grants')
    .set(noCredentials)
    .where('id', '=', id)
    .where('credential_version', '=', credential_version)
    .where('credentials', 'is not', null)
    .returning(['project_id', 'platform'])
    .executeTakeFirst();
}

/** Ends the credentials of grants. `hasLostApp`: the reason is that their app is deleted. */
export async function endAllCredentials(
  trx: Transaction,
  grantIds: string[],
  hasLostApp: boolean,
): Promise<void> {
  await trx
    .updateTable('grants')
    .set({ ...noCredentials, ...(hasLostApp && { has_lost_app: true }) })
    .where('id', '=', sql<string>`any (${grantIds}::text[])`)
    .execute();
}
