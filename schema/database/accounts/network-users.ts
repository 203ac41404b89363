// Queries on the logins and accounts of a user whom a network's call names by the ID that the call's app
// knows.
import { sql } from 'kysely';
import type { PlatformName } from '../../platforms/index.ts';
import type { Db, PlatformAppRow, SocialAccountRow, Transaction } from '../tables.ts';

export interface NetworkUser {
  /** The app that the network called. */
  app: PlatformAppRow;
  /** Each app gets different IDs for the same user. */
  userId: string;
  /** Later logins stay, because the network may repeat an old call. */
  madeBefore: Date;
}

/** The logins of the user that have not ended. */
export async function listGrantsOfNetworkUser(db: Db, user: NetworkUser): Promise<string[]> {
  const appIds = await listAppsOfClient(db, user.app);
  const { rows } = await sql<{ id: string }>`
    select id from grants
    where id = any (array(select grant_id from social_accounts where ${isOf(user)}))
      and app_id = any (${appIds}::text[]) and credentials is not null
      and created_at <= ${user.madeBefore}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Whether a login at this client, in any project, has not ended and can be the user's. Several projects may have the
 * same client of the network. Without a user, each login can.
 */
export async function hasLoginAtApp(
  db: Db,
  appId: string,
  userId: string | undefined,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from platform_apps known
    join platform_apps app using (platform, instance, client_id)
    join grants on grants.app_id = app.id
    join social_accounts account on account.grant_id = grants.id
    where known.id = ${appId} and grants.credentials is not null
      and coalesce(account.traits->>'user_id' = ${userId ?? null}::text, true)
    limit 1`.execute(db);
  return rows.length > 0;
}

/** One user of a project at one network. */
export interface AccountOwner {
  project_id: string;
  /** ID of the user in the system of the project. Null: the project names no user. */
  external_user_id: string | null;
  platform: PlatformName;
}

/** The users of projects who own the accounts of the network's user. */
export async function listOwnersOfNetworkUser(db: Db, user: NetworkUser): Promise<AccountOwner[]> {
  const appIds = await listAppsOfClient(db, user.app);
  const { rows } = await sql<AccountOwner>`
    select distinct project_id, external_user_id, platform from social_accounts
    where ${isOf(user)} and ${isMadeWith(user, appIds)}`.execute(db);
  return rows;
}

/** From now on, pruning ends and erases the accounts of the user. Returns their IDs. */
export async function setAccountsDue(trx: Transaction, user: NetworkUser): Promise<string[]> {
  const appIds = await listAppsOfClient(trx, user.app);
  const { rows } = await sql<{ id: string }>`
    with found as materialized (
      select id from social_accounts where ${isOf(user)} and ${isMadeWith(user, appIds)}
      order by id for no key update
    )
    update social_accounts set erase_at = now() where id = any (array(select id from found))
    returning id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** The first accounts of the user in the project that are not erased, by ID. */
export async function lockAccountsOfNetworkUser(
  trx: Transaction,
  projectId: string,
  user: NetworkUser,
  limit: number,
): Promise<SocialAccountRow[]> {
  const appIds = await listAppsOfClient(trx, user.app);
  return trx
    .selectFrom('social_accounts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(isOf(user))
    .where(isMadeWith(user, appIds))
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
}

/** All apps with this client ID. One client may be the app of several networks, which call one address. */
async function listAppsOfClient(
  db: Db,
  { project_id: projectId, client_id }: PlatformAppRow,
): Promise<string[]> {
  const apps = await db
    .selectFrom('platform_apps')
    .select('id')
    .where('project_id', projectId === null ? 'is' : '=', projectId)
    .where('instance', '=', '')
    .where('client_id', '=', client_id)
    .execute();
  return apps.map(({ id }) => id);
}

/** SQL: whether the account belongs to the user. Each subquery uses an index. */
const isOf = ({ userId }: NetworkUser) =>
  sql<boolean>`social_accounts.id = any (array(
    select id from social_accounts where traits->>'user_id' = ${userId}
    union all
    select id from social_accounts
    where platform = 'instagram' and external_account_id = ${userId}))`;

/**
 * SQL: whether the account was connected with one of these apps. Nobody knows the app of a disconnected
 * account or of an imported login, so such accounts count if they are in the project of `app`.
 */
function isMadeWith({ app: { project_id: projectId }, madeBefore }: NetworkUser, appIds: string[]) {
  const isOfProject =
    projectId === null ? sql<boolean>`true` : sql<boolean>`project_id = ${projectId}`;
  return sql<boolean>`(${isOfProject} and (grant_id is null and connected_at <= ${madeBefore} or (
    select coalesce(app_id = any (${appIds}::text[]), ${projectId !== null})
      and created_at <= ${madeBefore}
    from grants where grants.id = social_accounts.grant_id)))`;
}
