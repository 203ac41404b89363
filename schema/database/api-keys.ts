// Queries on API keys, and on the sessions of browsers that signed in to the dashboard with one. The database has only
// the SHA-256 of a key or a cookie.
import { sql, type Insertable } from 'kysely';
import type { Slice } from '../wire/listing.ts';
import type { ApiKeyRow, Database, Db } from './tables.ts';
import { inScope, selectInScope, updateOfProject, type RowScope } from './row-scope.ts';

export function insertApiKey(db: Db, key: Insertable<Database['api_keys']>): Promise<ApiKeyRow> {
  return db.insertInto('api_keys').values(key).returningAll().executeTakeFirstOrThrow();
}

/** Neither revoked nor expired. */
const isUsable = sql<boolean>`(
  api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > now()))`;

export function findUsableApiKey(db: Db, hash: Buffer): Promise<ApiKeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('hash', '=', hash)
    .where(isUsable)
    .executeTakeFirst();
}

/** Counts the keys that were used in the last 30 days and expire by then. They may belong to any project. */
export async function countExpiringKeys(db: Db, by: Date): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('expires_at', '<', by)
    .where('last_used_at', '>', sql<Date>`now() - interval '30 days'`)
    .where(isUsable)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns which of these keys may be used now. The keys may belong to any project. */
export async function listUsableKeyIds(db: Db, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const keys = await db
    .selectFrom('api_keys')
    .select('id')
    .where('id', 'in', ids)
    .where(isUsable)
    .execute();
  return keys.map(({ id }) => id);
}

export function findApiKeyByHash(db: Db, hash: Buffer): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').selectAll().where('hash', '=', hash).executeTakeFirst();
}

export function findApiKey(db: Db, scope: RowScope, id: string): Promise<ApiKeyRow | undefined> {
  return selectInScope(db, scope, 'api_keys').where('id', '=', id).executeTakeFirst();
}

export function listApiKeys(db: Db, scope: RowScope, slice: Slice): Promise<ApiKeyRow[]> {
  return selectInScope(db, scope, 'api_keys')
    .$if(slice.before !== undefined, (query) => query.where('id', '<', slice.before!))
    .orderBy('id', 'desc')
    .limit(slice.limit)
    .execute();
}

export function listApiKeysById(db: Db, scope: RowScope, ids: string[]): Promise<ApiKeyRow[]> {
  return selectInScope(db, scope, 'api_keys').where('id', 'in', ids).execute();
}

/** Revoking again changes nothing. */
export function setApiKeyRevoked(
  db: Db,
  scope: RowScope,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return db
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where(inScope(scope, 'api_keys'))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function setApiKeyUsed(
  db: Db,
  projectId: string,
  id: string,
  usedAt: Date,
): Promise<void> {
  await updateOfProject(db, projectId, 'api_keys', id).set({ last_used_at: usedAt }).execute();
}

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

/** Leaves the newest ones of the key. */
export async function deleteOldSessions(db: Db, keyId: string, keep: number): Promise<void> {
  await db
    .deleteFrom('dashboard_sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('dashboard_sessions')
        .select('id')
        .where('key_id', '=', keyId)
        .orderBy('id', 'desc')
        .offset(keep),
    )
    .execute();
}

/** Turns the code into a session, once. False: the code is unknown, used or expired. */
export async function redeemCode(
  db: Db,
  codeHash: Buffer,
  session: { id: string; hash: Buffer; expiresAt: Date },
): Promise<boolean> {
  const redeemed = await db
    .updateTable('dashboard_sessions')
    .set({ id: session.id, hash: session.hash, expires_at: session.expiresAt })
    .where('hash', '=', codeHash)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return redeemed.numUpdatedRows > 0n;
}
