// Queries on connected accounts.
import { sql, type Insertable, type UpdateObject } from 'kysely';
import { expiryWarningsMs, type AccountStatus, type AccountStatusFilter } from '../../accounts.ts';
import { notFound } from '../../wire/errors.ts';
import type { Slice } from '../../wire/listing.ts';
import type { KeyEnvironment } from '../../api-keys.ts';
import type { PlatformName } from '../../platforms/index.ts';
import { allOf, prepare, wholeTables } from '../prepared.ts';
import type { Database, Db, SocialAccountRow, Transaction } from '../tables.ts';
import { inMs, msUntil } from '../database-clock.ts';
import { inScope, selectInScope, updateOfProject, type RowScope } from '../row-scope.ts';

/** An account as clients see it. */
export interface AccountRow extends SocialAccountRow {
  token_expires_at: Date | null;
}

/** SQL: when the account's access ends. */
const tokenExpiresAt = sql<Date | null>`(
  select token_expires_at from grants where grants.id = social_accounts.grant_id)`.as(
  'token_expires_at',
);

/** SQL: whether the account's login ends soon. False for a login that a schedule refreshes. */
const isExpiring = sql<boolean>`(
  select token_expires_at from grants
  where grants.id = social_accounts.grant_id and refresh_at is null
) <= ${inMs(expiryWarningsMs.first)}`;

export function getAccountRow(db: Db, scope: RowScope, id: string): Promise<AccountRow> {
  return selectInScope(db, scope, 'social_accounts')
    .select(tokenExpiresAt)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('account', id));
}

/** An account with the time of the database at which it was read. */
export interface ReadAccountRow extends AccountRow {
  read_at: Date;
}

/** In no particular order. */
export async function listAccountsById(
  db: Db,
  { projectId, environment }: RowScope,
  ids: string[],
): Promise<ReadAccountRow[]> {
  return ids.length === 0 ? [] : listById[environment](db, { projectId, ids });
}

const listByIdIn = (environment: KeyEnvironment) =>
  prepare<{ projectId: string; ids: string[] }, ReadAccountRow>(
    `list_accounts_by_id_${environment}`,
    ({ projectId, ids }) => sql`
      select ${allOf(wholeTables.social_accounts, 'social_accounts')}, ${tokenExpiresAt}, now() as read_at
      from ${sql.table('social_accounts')}
      where ${inScope({ projectId, environment }, 'social_accounts')} and id = any (${ids}::text[])`,
  );

const listById = { test: listByIdIn('test'), production: listByIdIn('production') };

export interface AccountFilters {
  platform?: PlatformName | undefined;
  external_user_id?: string | undefined;
  status?: AccountStatusFilter | undefined;
}

export function listAccountRows(
  db: Db,
  scope: RowScope,
  { platform, external_user_id, status }: AccountFilters,
  { limit, before }: Slice,
): Promise<AccountRow[]> {
  return selectInScope(db, scope, 'social_accounts')
    .select(tokenExpiresAt)
    .$if(platform !== undefined, (query) => query.where('platform', '=', platform!))
    .$if(external_user_id !== undefined, (query) =>
      query.where('external_user_id', '=', external_user_id!),
    )
    .$if(status !== undefined, (query) =>
      status === 'expiring'
        ? query.where('status', '=', 'active').where(isExpiring)
        : query.where('status', '=', status!),
    )
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Posts can be published out of order. The latest is searched among this many newest posts. */
const latestPosts = 20;

export type HealthRow = Awaited<ReturnType<typeof listHealth>>[number];

/** The facts that decide the health of these accounts. */
export function listHealth(db: Db, scope: RowScope, ids: string[]) {
  return db
    .selectFrom('social_accounts')
    .leftJoin('grants', 'grants.id', 'grant_id')
    .select([
      'social_accounts.id',
      'social_accounts.platform',
      'account_name',
      'status',
      'token_expires_at',
      'refresh_failures',
      'has_lost_app',
    ])
    .select([
      msUntil(sql.ref('token_expires_at')).as('expires_in_ms'),
      sql<boolean>`refresh_at is not null`.as('is_refreshed'),
      sql<Date | null>`(select max(published_at) from (
        select published_at from post_results
        where social_account_id = social_accounts.id and kind = 'post' and published_at is not null
        order by id desc limit ${latestPosts}) latest)`.as('last_published_at'),
    ])
    .where(inScope(scope, 'social_accounts'))
    .where('social_accounts.id', '=', sql<string>`any (${ids}::text[])`)
    .execute();
}

export function lockAccount(
  trx: Transaction,
  scope: RowScope,
  id: string,
): Promise<SocialAccountRow> {
  return selectInScope(trx, scope, 'social_accounts')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('account', id));
}

/** The first accounts of the user, by ID. */
export function lockAccountsOfUser(
  trx: Transaction,
  scope: RowScope,
  externalUserId: string,
  limit: number,
): Promise<SocialAccountRow[]> {
  return selectInScope(trx, scope, 'social_accounts')
    .where('external_user_id', '=', externalUserId)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
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

/** Locks accounts in the order in which every transaction locks several accounts. */
export async function lockAccountsAtNetwork(
  trx: Transaction,
  projectId: string,
  platform: PlatformName,
  externalAccountIds: string[],
): Promise<void> {
  await trx
    .selectFrom('social_accounts')
    .select('id')
    .where('project_id', '=', projectId)
    .where('platform', '=', platform)
    .where('external_account_id', '=', sql<string>`any (${externalAccountIds}::text[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
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
): Promise<AccountRow | undefined> {
  return trx
    .insertInto('social_accounts')
    .values(account)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'platform', 'external_account_id']).doNothing(),
    )
    .returningAll()
    .returning(tokenExpiresAt)
    .executeTakeFirst();
}

export function updateAccount(
  trx: Transaction,
  projectId: string,
  id: string,
  columns: UpdateObject<Database, 'social_accounts'>,
): Promise<AccountRow> {
  return updateOfProject(trx, projectId, 'social_accounts', id)
    .set(columns)
    .returningAll()
    .returning(tokenExpiresAt)
    .executeTakeFirstOrThrow();
}

export async function setAccountStatus(
  trx: Transaction,
  accounts: SocialAccountRow[],
  status: AccountStatus,
): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  await trx
    .updateTable('social_accounts')
    .set({ status })
    .where('id', '=', sql<string>`any (${ids}::text[])`)
    .execute();
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
