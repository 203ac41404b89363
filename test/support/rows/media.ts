// Media as rows, written without an API and without bytes.
import type { Insertable } from 'kysely';
import type { Database, Db, MediaRow } from '../../../schema/database/tables.ts';
import { newId } from '../../../schema/wire/ids.ts';

type Change = Partial<Insertable<Database['media']>>;

/** Media that wait for their bytes, with the given changes. Returns their ID. */
export async function addMedia(db: Db, projectId: string, change: Change = {}): Promise<string> {
  const row = {
    id: newId('media'),
    project_id: projectId,
    environment: 'production',
    status: 'pending',
    filename: 'picture.png',
    ...change,
  } as const;
  await db.insertInto('media').values(row).execute();
  return row.id;
}

/** An uploaded JPEG of 800 × 600 pixels and 100 kB, with the given changes. Returns its ID. */
export function addImage(db: Db, projectId: string, change: Change = {}): Promise<string> {
  const id = newId('media');
  return addMedia(db, projectId, {
    id,
    status: 'uploaded',
    filename: null,
    kind: 'image',
    content_type: 'image/jpeg',
    size_bytes: 100_000,
    received_bytes: 100_000,
    sha256: id,
    width: 800,
    height: 600,
    ...change,
  });
}

/** Makes `addImage` add a video that lasts one minute. */
export const videoRow = {
  kind: 'video',
  content_type: 'video/mp4',
  width: 1_920,
  height: 1_080,
  duration_ms: 60_000,
} as const;

export function readMedia(db: Db, id: string): Promise<MediaRow> {
  return db.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
