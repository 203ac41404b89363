// Media as rows, without bytes.
import type { Insertable } from 'kysely';
import type { Database, Db } from '../../../schema/database/tables.ts';
import { newId } from '../../../schema/wire/ids.ts';

/** An uploaded JPEG of 800 × 600 pixels and 100 kB, with the given changes. Returns its ID. */
export async function insertMedia(
  db: Db,
  projectId: string,
  change: Partial<Insertable<Database['media']>> = {},
): Promise<string> {
  const id = newId('media');
  await db
    .insertInto('media')
    .values({
      id,
      project_id: projectId,
      environment: 'production',
      status: 'uploaded',
      kind: 'image',
      content_type: 'image/jpeg',
      size_bytes: 100_000,
      received_bytes: 100_000,
      sha256: id,
      width: 800,
      height: 600,
      ...change,
    })
    .execute();
  return id;
}

/** A video of a minute. */
export const videoRow = {
  kind: 'video',
  content_type: 'video/mp4',
  width: 1_920,
  height: 1_080,
  duration_ms: 60_000,
} as const;
