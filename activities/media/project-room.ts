// The room that a project has left in the store of media.
import { sumReceivedBytes } from '../../schema/database/media/rows.ts';
import type { Db, MediaRow } from '../../schema/database/tables.ts';
import type { MediaStorage } from './store/store.ts';

/** Bytes that these media may have. Negative: the project has too many without them. */
export async function findProjectRoom(
  db: Db,
  { projectMaxBytes }: MediaStorage,
  { project_id, received_bytes }: Pick<MediaRow, 'project_id' | 'received_bytes'>,
): Promise<number> {
  const others = (await sumReceivedBytes(db, project_id)) - received_bytes;
  return projectMaxBytes - others;
}
