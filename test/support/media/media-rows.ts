// Rows of media, written without an API.
import type { Db, MediaRow } from '../../../schema/database/tables.ts';
import { newId } from '../../../schema/wire/ids.ts';

export async function addMedia(
  db: Db,
  projectId: string,
  change: Partial<MediaRow> = {},
): Promise<string> {
  const id = newId('media');
  await db
    .insertInto('media')
    .values({
      id,
      project_id: projectId,
      environment: 'production',
      status: 'pending',
      filename: 'picture.png',
      ...change,
    })
    .execute();
  return change.id ?? id;
}

export function readMedia(db: Db, id: string): Promise<MediaRow> {
  return db.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
