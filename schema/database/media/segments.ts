// Segments of media in Postgres, and the lease of the one writer that adds them.
import { sql } from 'kysely';
import { inMs } from '../database-clock.ts';
import type { Db, MediaRow, MediaSegmentRow } from '../tables.ts';

/** A writer that stops renewing its lease loses it after this time, by the clock of the database. */
const leaseMs = 15_000;

/** The request or activity that writes the bytes of media. */
export interface MediaWriter {
  mediaId: string;
  writerId: string;
}

/** Undefined: another writer has the lease, or the media expect no bytes. */
export function claimWriter(
  db: Db,
  { mediaId, writerId }: MediaWriter,
): Promise<MediaRow | undefined> {
  return db
    .updateTable('media')
    .set({ writer_id: writerId, writer_until: inMs(leaseMs) })
    .where('id', '=', mediaId)
    .where('status', '=', 'pending')
    .where((eb) =>
      eb.or([
        eb('writer_id', 'is', null),
        eb('writer_id', '=', writerId),
        eb('writer_until', '<', sql<Date>`now()`),
      ]),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Changes nothing once another writer has the lease. */
function updateHeld(db: Db, { mediaId, writerId }: MediaWriter) {
  return db.updateTable('media').where('id', '=', mediaId).where('writer_id', '=', writerId);
}

/** Returns whether the writer still has the lease. */
export async function renewWriter(db: Db, writer: MediaWriter): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(db, writer)
    .set({ writer_until: inMs(leaseMs) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** In order of their bytes. */
export function listSegments(db: Db, mediaId: string): Promise<MediaSegmentRow[]> {
  return db
    .selectFrom('media_segments')
    .selectAll()
    .where('media_id', '=', mediaId)
    .orderBy('start_byte')
    .execute();
}

/** Returns whether the segment was added. Only the writer with the lease can add one, and only at the end. */
export async function addSegment(
  db: Db,
  { mediaId, writerId }: MediaWriter,
  { start_byte, bytes, key }: Omit<MediaSegmentRow, 'media_id'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with held as (
      update media set received_bytes = received_bytes + ${bytes}::int,
        writer_until = ${inMs(leaseMs)}, updated_at = now()
      where id = ${mediaId} and writer_id = ${writerId} and status = 'pending'
        and received_bytes = ${start_byte}::int
      returning id
    )
    insert into media_segments (media_id, start_byte, bytes, key)
    select id, ${start_byte}::int, ${bytes}::int, ${key} from held`.execute(db);
  return numAffectedRows === 1n;
}

export async function releaseWriter(db: Db, writer: MediaWriter): Promise<void> {
  await updateHeld(db, writer).set({ writer_id: null, writer_until: null }).execute();
}

/**
 * Moves the end of the bytes to `from`, which must be 0 (to start over) or the current end. False: `from` is
 * neither, or another writer has the lease. Rows of segments after `from` remain until they are removed.
 */
export async function rewindMedia(db: Db, writer: MediaWriter, from: number): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(db, writer)
    .set({ received_bytes: from, writer_until: inMs(leaseMs) })
    .where('status', '=', 'pending')
    .where((eb) => eb.or([eb(eb.val(from), '=', 0), eb('received_bytes', '=', from)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Null: unknown, until a part names the total. */
export async function setUploadTotal(
  db: Db,
  writer: MediaWriter,
  total: number | null,
): Promise<void> {
  await updateHeld(db, writer).set({ upload_total: total }).execute();
}

/** Call it once the objects of these segments are removed. */
export async function removeSegments(db: Db, mediaId: string, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .deleteFrom('media_segments')
    .where('media_id', '=', mediaId)
    .where('key', 'in', keys)
    .execute();
}
