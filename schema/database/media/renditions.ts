// Renditions: images that were fitted to the rules of a network, stored beside the media they come from.
import { sql } from 'kysely';
import type { Db, MediaRow, MediaSegmentRow } from '../tables.ts';

export function findRendition(
  db: Db,
  sourceId: string,
  name: string,
): Promise<MediaRow | undefined> {
  return db
    .selectFrom('media')
    .selectAll()
    .where('source_media_id', '=', sourceId)
    .where('rendition', '=', name)
    .executeTakeFirst();
}

interface NewRendition {
  id: string;
  name: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  contentType: string;
  width: number;
  height: number;
  segments: Omit<MediaSegmentRow, 'media_id'>[];
}

/** Undefined: another worker has inserted the rendition. */
export async function insertRendition(
  db: Db,
  source: MediaRow,
  { id, name, bytes, sha256, contentType, width, height, segments }: NewRendition,
): Promise<MediaRow | undefined> {
  const { rows } = await sql<MediaRow>`
    with rendition as (
      insert into media (id, project_id, environment, status, source_media_id, rendition, kind,
        content_type, size_bytes, received_bytes, sha256, width, height)
      values (${id}, ${source.project_id}, ${source.environment}, 'attached', ${source.id}, ${name},
        'image', ${contentType}, ${bytes}, ${bytes},
        ${sha256}, ${width}, ${height})
      on conflict (source_media_id, rendition) do nothing
      returning *
    ), segment as (
      insert into media_segments (media_id, start_byte, bytes, key)
      select rendition.id, part.start_byte, part.bytes, part.key from rendition,
        jsonb_to_recordset(${JSON.stringify(segments)}::jsonb) as part (start_byte int, bytes int, key text)
    )
    select * from rendition`.execute(db);
  return rows[0];
}
