// Queries on API keys. The database has only the SHA-256 of a key.
import { sql, type Insertable } from 'kysely';
import type { Slice } from '../wire/listing.ts';
import type { ApiKeyRow, Database, Db } from './tables.ts';
import { inScope, selectInScope, updateOfProject, type RowScope } from './row-scope.ts';

export function insertApiKey(db: Db, key: Insertable<Database['api_keys']>): Promise<ApiKeyRow> {
  return db.insertInto('api_keys').values(key).returningAll().executeTakeFirstOrThrow();
}

/** Neither revoked nor expired. */
export const isUsable = sql<boolean>`(
  api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > now()))`;

export function findUsableApiKey(db: Db, hash: Buffer): Promise<ApiKeyRow | undefined> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('hash', '=', hash)
    .where(isUsable)
    .executeTakeFirst();
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
