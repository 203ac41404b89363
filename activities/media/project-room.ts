// How much room a project still has in the media store.
import { sumReceivedBytes } from '../../schema/database/media/rows.ts';
import type { Db, MediaRow } from '../../schema/database/tables.ts';
import type { MediaStorage } from './store/store.ts';

/** How many bytes these media may have. Negative: the other media of the project exceed the limit already. */
export async function findProjectRoom(
  db: Db,
  { projectMaxBytes }: MediaStorage,
  { project_id, received_bytes }: Pick<MediaRow, 'project_id' | 'received_bytes'>,
): Promise<number> {
  const others = (await sumReceivedBytes(db, project_id)) - received_bytes;
  return projectMaxBytes - others;
}
