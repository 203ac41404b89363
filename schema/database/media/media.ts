// Media and their stored parts in Postgres.
import { sql } from 'kysely';
import { insertChanges } from '../live/changes.ts';
import { insertFetchMedia } from '../outbox.ts';
import { inScope, type RowScope } from '../row-scope.ts';
import type { Db, MediaItem, MediaRow, MediaSegmentRow, Transaction } from '../tables.ts';

/** Renditions are not shown, so no caller finds them. */
export async function listMediaById(db: Db, scope: RowScope, ids: string[]): Promise<MediaRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('media')
    .selectAll()
    .where(inScope(scope, 'media'))
    .where('id', 'in', ids)
    .where('source_media_id', 'is', null)
    .execute();
}

/** For the engine. In no order. */
export async function findMedia(db: Db, ids: string[]): Promise<MediaRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('media').selectAll().where('id', 'in', ids).execute();
}

/** In order. */
export function listSegments(db: Db, mediaId: string): Promise<MediaSegmentRow[]> {
  return db
    .selectFrom('media_segments')
    .selectAll()
    .where('media_id', '=', mediaId)
    .orderBy('start_byte')
    .execute();
}

export function idsOf(items: MediaItem[]): string[] {
  return items.flatMap(({ id, thumbnail_id }) => [id ?? [], thumbnail_id ?? []].flat());
}

/**
 * Records that the post uses these media. Returns those that were deleted meanwhile, or are not usable.
 * Locks the media, so that no one deletes them until the end of the transaction.
 */
export async function attachMedia(
  trx: Transaction,
  postId: string,
  mediaIds: string[],
): Promise<string[]> {
  const ids = [...new Set(mediaIds)];
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with usable as (
      select id, project_id, status from media
      where id = any(${ids}::text[]) and (status in ('uploaded', 'attached')
        or (status = 'pending' and url is not null))
      order by id for no key update
    ), attached as (
      update media set status = 'attached', updated_at = now()
      where id in (select id from usable where status = 'uploaded')
      returning id, project_id
    ), change as (
      insert into changes (project_id, subject, subject_id, kind)
      select project_id, 'media', id, 'attached' from attached
    ), used as (
      insert into media_uses (media_id, post_id) select id, ${postId} from usable
      on conflict do nothing
    )
    select id from usable`.execute(trx);
  const usable = new Set(rows.map(({ id }) => id));
  if (usable.size > 0) trx.notifyAfterCommit('fanfare_changes');
  return ids.filter((id) => !usable.has(id));
}

/** The post no longer uses other media than these. */
export async function detachOtherMedia(
  trx: Transaction,
  postId: string,
  keptIds: string[],
): Promise<void> {
  await trx
    .deleteFrom('media_uses')
    .where('post_id', '=', postId)
    .where(sql<boolean>`media_id <> all(${keptIds}::text[])`)
    .execute();
}

/** Media whose bytes a workflow fetches. */
export async function insertFetches(
  trx: Transaction,
  { projectId, environment }: RowScope,
  fetches: { id: string; url: string }[],
): Promise<void> {
  for (const { id, url } of fetches) {
    const workflow_id = await insertFetchMedia(trx, { mediaId: id });
    const row = { id, url, workflow_id, project_id: projectId, environment };
    await trx
      .insertInto('media')
      .values({ ...row, status: 'pending' })
      .execute();
  }
  await insertChanges(
    trx,
    fetches.map(({ id }) => {
      return { project_id: projectId, subject: 'media', subject_id: id, kind: 'created' };
    }),
  );
}

/** Starts another fetch of media that wait for one, since their post is due earlier. */
export async function hurryFetches(trx: Transaction, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const waiting = await trx
    .selectFrom('media')
    .select('id')
    .where('id', 'in', ids)
    .where('status', '=', 'pending')
    .where('fetch_attempts', '>', 0)
    .execute();
  for (const { id } of waiting) await insertFetchMedia(trx, { mediaId: id });
}

/** Fetches unreachable media again. Returns the IDs of those that were deleted. */
export async function refetchMedia(trx: Transaction, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await trx
    .selectFrom('media')
    .select(['id', 'project_id', 'status', 'error_code'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  for (const { id, project_id, status, error_code } of found) {
    if (status !== 'failed' || error_code !== 'media_unreachable') continue;
    await trx
      .updateTable('media')
      .set({
        status: 'pending',
        error_code: null,
        error_message: null,
        fetch_attempts: 0,
        // New bytes will come.
        is_emptied: false,
        workflow_id: await insertFetchMedia(trx, { mediaId: id }),
        updated_at: sql<Date>`now()`,
      })
      .where('id', '=', id)
      .execute();
    await insertChanges(trx, [{ project_id, subject: 'media', subject_id: id, kind: 'retried' }]);
  }
  const kept = new Set(found.filter(({ status }) => status !== 'deleted').map(({ id }) => id));
  return ids.filter((id) => !kept.has(id));
}
