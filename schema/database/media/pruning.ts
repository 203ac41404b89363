// Deletes media that no recent post uses, one bounded batch at a time.
import { sql } from 'kysely';
import { firstIdAt } from '../../wire/ids.ts';
import { insertChanges } from '../live/changes.ts';
import type { Db, Transaction } from '../tables.ts';

export interface PrunedMedia {
  media: number;
  /** ID of the last media examined. Null: none is left. */
  after: string | null;
}

/**
 * Marks media that were created before `createdBefore` as deleted, with their renditions. Leaves media that a
 * draft, scheduled or pending post uses, or a post that concluded after `concludedBefore`. Leaves media whose
 * upload can still continue. Examines at most `limit` after the ID `after`.
 */
export async function deleteUnusedMedia(
  trx: Transaction,
  { createdBefore, concludedBefore }: { createdBefore: Date; concludedBefore: Date },
  after: string,
  limit: number,
): Promise<PrunedMedia> {
  const { rows } = await sql<{ id: string }>`
    select id from media
    where status <> 'deleted' and source_media_id is null
      and id > ${after} and id < ${firstIdAt('media', createdBefore)}
    order by id limit ${limit} for update skip locked`.execute(trx);
  if (rows.length === 0) return { media: 0, after: null };
  const ids = rows.map((row) => row.id);
  // A separate statement, so that it sees each use that was committed before the media were locked.
  // It uses arrays and `offset 0`, because joins might make the planner read whole tables.
  const { rows: deleted } = await sql<{ id: string; project_id: string }>`
    with unused as (
      select id from media where id = any(${ids})
        and (status <> 'pending'
          or coalesce(greatest(upload_expires_at, writer_until), created_at) < now())
        and not exists (
          select from media_uses u join posts p on p.id = u.post_id
          where u.media_id = media.id and (p.status in ('draft', 'scheduled', 'pending')
            or p.progressed_at >= ${concludedBefore}) offset 0)
    ), rendition as (
      update media set status = 'deleted', updated_at = now()
      where source_media_id = any (array(select id from unused)) and status <> 'deleted'
    )
    update media set status = 'deleted', updated_at = now()
    where id = any (array(select id from unused))
    returning id, project_id`.execute(trx);
  await insertChanges(
    trx,
    deleted.map(({ id, project_id }) => {
      return { project_id, subject: 'media', subject_id: id, kind: 'deleted' };
    }),
  );
  return { media: deleted.length, after: ids.at(-1)! };
}

/** IDs of deleted media whose bytes are still in the store. Leaves out media whose writer is still active. */
export async function listMediaToEmpty(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from media where status = 'deleted' and not is_emptied
      and (writer_until is null or writer_until < now())
    order by id limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/** Call it once the objects of these deleted media are removed. */
export async function setEmptied(db: Db, mediaId: string): Promise<void> {
  await sql`
    with segment as (delete from media_segments where media_id = ${mediaId})
    update media set is_emptied = true, received_bytes = 0 where id = ${mediaId}`.execute(db);
}

/**
 * Removes the rows of deleted media that are empty, once no post and no rendition refers to them. Examines at
 * most `limit` after the ID `after`.
 */
export async function removeEmptiedMedia(
  db: Db,
  after: string,
  limit: number,
): Promise<PrunedMedia> {
  const { rows } = await sql<{ media: number; after: string | null }>`
    with emptied as materialized (
      select id from media where is_emptied and id > ${after} order by id limit ${limit}
      for update skip locked
    ), removed as (
      delete from media where id = any (array(select id from emptied))
        and not exists (select from media_uses u where u.media_id = media.id)
        and not exists (select from media r where r.source_media_id = media.id)
      returning id
    )
    select (select count(*) from removed)::int as media, (select max(id) from emptied) as after`.execute(
    db,
  );
  return rows[0]!;
}
