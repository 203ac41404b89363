// Queries on connect sessions.
import { sql, type Insertable } from 'kysely';
import { notFound } from '../../wire/errors.ts';
import type { PlatformName } from '../../platforms/index.ts';
import type { ConnectSessionRow, Database, Db, Transaction } from '../tables.ts';
import { selectInScope, updateOfProject, type RowScope } from '../row-scope.ts';

export function insertConnectSession(
  db: Db,
  session: Insertable<Database['connect_sessions']>,
): Promise<ConnectSessionRow> {
  return db.insertInto('connect_sessions').values(session).returningAll().executeTakeFirstOrThrow();
}

/** Finds a session for the hosted page, which proves its access with a token. The API reads by project. */
export function findConnectSession(db: Db, id: string): Promise<ConnectSessionRow | undefined> {
  return db.selectFrom('connect_sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

export function getConnectSessionRow(
  db: Db,
  scope: RowScope,
  id: string,
): Promise<ConnectSessionRow> {
  return selectInScope(db, scope, 'connect_sessions')
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('connect session', id));
}

export function listConnectSessionsById(
  db: Db,
  scope: RowScope,
  ids: string[],
): Promise<ConnectSessionRow[]> {
  return selectInScope(db, scope, 'connect_sessions').where('id', 'in', ids).execute();
}

export function lockConnectSession(
  trx: Transaction,
  projectId: string,
  id: string,
): Promise<ConnectSessionRow> {
  return trx
    .selectFrom('connect_sessions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function setConnectSessionFlow(
  trx: Transaction,
  projectId: string,
  id: string,
  flow: Pick<ConnectSessionRow, 'flow' | 'flow_key_id'>,
): Promise<void> {
  await updateOfProject(trx, projectId, 'connect_sessions', id).set(flow).execute();
}

/** Deletes the flow too, because it contains credentials that an ended session doesn't need. */
export function setConnectSessionEnded(
  trx: Transaction,
  projectId: string,
  id: string,
  end: { status: 'completed'; completed_social_account_ids: string[] } | { status: 'canceled' },
): Promise<ConnectSessionRow> {
  return updateOfProject(trx, projectId, 'connect_sessions', id)
    .set({ ...end, flow: null, flow_key_id: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The first sessions that name the user. `platform`: only those of this network. */
export function lockSessionsOfUser(
  trx: Transaction,
  scope: RowScope,
  externalUserId: string,
  limit: number,
  platform?: PlatformName,
): Promise<ConnectSessionRow[]> {
  return selectInScope(trx, scope, 'connect_sessions')
    .where('external_user_id', '=', externalUserId)
    .$if(platform !== undefined, (query) => query.where('platform', '=', platform!))
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
}

/** Removes the user from sessions that `trx` has locked, and ends those of them that are open. */
export async function eraseConnectSessions(
  trx: Transaction,
  sessions: readonly ConnectSessionRow[],
): Promise<void> {
  const ids = sessions.map(({ id }) => id);
  await trx
    .updateTable('connect_sessions')
    .set({
      external_user_id: null,
      external_user_email: null,
      return_url: null,
      flow: null,
      flow_key_id: null,
      status: sql`case status when 'pending' then 'canceled' else status end`,
    })
    .where('id', '=', sql<string>`any (${ids}::text[])`)
    .execute();
}
