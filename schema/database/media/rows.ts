// Queries on media. Renditions are not shown, so no query with a scope returns them.
import { sql } from 'kysely';
import type { ListMedia } from '../../media.ts';
import { notFound } from '../../wire/errors.ts';
import type { Slice } from '../../wire/listing.ts';
import { inMs } from '../database-clock.ts';
import { allOf, prepare, wholeTables } from '../prepared.ts';
import { selectInScope, updateOfProject, type RowScope } from '../row-scope.ts';
import type { Db, MediaRow, Transaction } from '../tables.ts';

/** Time in which an upload URL works. */
const uploadUrlMs = 24 * 3_600_000;

/** Media whose bytes the client uploads. */
export function insertUpload(
  trx: Transaction,
  { projectId, environment }: RowScope,
  upload: Pick<
    MediaRow,
    'id' | 'filename' | 'content_type' | 'declared_bytes' | 'declared_hash' | 'upload_token_hash'
  >,
): Promise<MediaRow> {
  return trx
    .insertInto('media')
    .values({
      ...upload,
      project_id: projectId,
      environment,
      status: 'pending',
      upload_expires_at: inMs(uploadUrlMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function getMediaRow(db: Db, scope: RowScope, id: string): Promise<MediaRow> {
  return selectMedia(db, scope)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('media', id));
}

export function listMediaRows(
  db: Db,
  scope: RowScope,
  { status }: Pick<ListMedia, 'status'>,
  { limit, before }: Slice,
): Promise<MediaRow[]> {
  return selectMedia(db, scope)
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function listMediaById(db: Db, scope: RowScope, ids: string[]): Promise<MediaRow[]> {
  if (ids.length === 0) return [];
  return selectMedia(db, scope).where('id', 'in', ids).execute();
}

/** Serves the engine, so it ignores scopes and finds renditions too. */
export function findMedia(db: Db, id: string): Promise<MediaRow | undefined> {
  return db.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Serves the engine, so it ignores scopes and finds renditions too. The media are in no order. */
export const listMediaByIds = (db: Db, ids: readonly string[]): Promise<MediaRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : selectByIds(db, { ids });

const selectByIds = prepare<{ ids: readonly string[] }, MediaRow>(
  'list_media',
  ({ ids }) => sql`
    select ${allOf(wholeTables.media, 'media')} from media where id = any(${ids}::text[])`,
);

export function lockMedia(trx: Transaction, scope: RowScope, id: string): Promise<MediaRow> {
  return selectMedia(trx, scope)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('media', id));
}

/**
 * Finds media by their ID alone, because the caller checks the token. Undefined: no such media have an upload
 * URL.
 */
export function findUpload(
  db: Db,
  id: string,
): Promise<(MediaRow & { is_expired: boolean }) | undefined> {
  return db
    .selectFrom('media')
    .selectAll()
    .select(sql<boolean>`upload_expires_at < now()`.as('is_expired'))
    .where('id', '=', id)
    .where('upload_token_hash', 'is not', null)
    .executeTakeFirst();
}

/** The old upload URL stops working. */
export function renewUpload(
  trx: Transaction,
  projectId: string,
  id: string,
  tokenHash: Buffer,
): Promise<MediaRow> {
  return updateOfProject(trx, projectId, 'media', id)
    .set({
      upload_token_hash: tokenHash,
      upload_expires_at: inMs(uploadUrlMs),
      updated_at: sql<Date>`now()`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A writer notices the deletion at its next segment. */
export async function markDeleted(trx: Transaction, projectId: string, id: string): Promise<void> {
  await updateOfProject(trx, projectId, 'media', id)
    .set({
      status: 'deleted',
      writer_id: null,
      writer_until: null,
      updated_at: sql<Date>`now()`,
    })
    .execute();
}

/** Bytes of the project's media, of both environments, without renditions. */
export async function sumReceivedBytes(db: Db, projectId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('media')
    .select(({ fn }) => fn.coalesce(fn.sum<string>('received_bytes'), sql<string>`0`).as('bytes'))
    .where('project_id', '=', projectId)
    .where('status', '<>', 'deleted')
    .where('source_media_id', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

function selectMedia(db: Db, scope: RowScope) {
  return selectInScope(db, scope, 'media').where('source_media_id', 'is', null);
}
