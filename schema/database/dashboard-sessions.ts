// Queries on the browsers that are signed in to the dashboard. The database has only the SHA-256 of their cookies.
import { sql, type Insertable } from 'kysely';
import { isUsable } from './api-keys.ts';
import type { ApiKeyRow, Database, Db } from './tables.ts';

/** The key that a session was opened with. */
export type SessionKeyRow = ApiKeyRow & { session_id: string; session_expires_at: Date };

export async function insertSession(
  db: Db,
  session: Insertable<Database['dashboard_sessions']>,
): Promise<void> {
  await db.insertInto('dashboard_sessions').values(session).execute();
}

/** Sessions that have not ended, and whose keys may be used. */
const openSessions = (db: Db) =>
  db
    .selectFrom('dashboard_sessions')
    .innerJoin('api_keys', 'api_keys.id', 'dashboard_sessions.key_id')
    .where('dashboard_sessions.expires_at', '>', sql<Date>`now()`)
    .where(isUsable);

export function findSessionKey(db: Db, hash: Buffer): Promise<SessionKeyRow | undefined> {
  return openSessions(db)
    .selectAll('api_keys')
    .select(({ ref }) => [
      ref('dashboard_sessions.id').as('session_id'),
      ref('dashboard_sessions.expires_at').as('session_expires_at'),
    ])
    .where('dashboard_sessions.hash', '=', hash)
    .executeTakeFirst();
}

/** Returns which of these sessions are open. The sessions may belong to any project. */
export async function listOpenSessionIds(db: Db, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const sessions = await openSessions(db)
    .select('dashboard_sessions.id')
    .where('dashboard_sessions.id', 'in', ids)
    .execute();
  return sessions.map(({ id }) => id);
}

export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('dashboard_sessions').where('id', '=', id).execute();
}

/** Turns the code into a session, once. Undefined: the code is unknown, used or expired. */
export async function redeemCode(
  db: Db,
  codeHash: Buffer,
  session: { hash: Buffer; expiresAt: Date },
): Promise<string | undefined> {
  const redeemed = await db
    .updateTable('dashboard_sessions')
    .set({ hash: session.hash, expires_at: session.expiresAt })
    .where('hash', '=', codeHash)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('id')
    .executeTakeFirst();
  return redeemed?.id;
}
