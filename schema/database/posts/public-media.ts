// The file of a target, for a network that fetches it.
import type { Db, MediaRow } from '../tables.ts';
import { isOpenRow } from './targets.ts';

/** Undefined: the target has ended, or the file is gone. A rendition is gone if its source was deleted. */
export function findPublicMedia(
  db: Db,
  projectId: string,
  { resultId, mediaId }: { resultId: string; mediaId: string },
): Promise<MediaRow | undefined> {
  return db
    .selectFrom('media')
    .innerJoin('post_results as r', 'r.project_id', 'media.project_id')
    .leftJoin('media as source', 'source.id', 'media.source_media_id')
    .selectAll('media')
    .where('media.id', '=', mediaId)
    .where('media.project_id', '=', projectId)
    .where('media.status', 'in', ['uploaded', 'attached'])
    .where((eb) => eb.or([eb('source.id', 'is', null), eb('source.status', '<>', 'deleted')]))
    .where('r.id', '=', resultId)
    .where(isOpenRow('r'))
    .executeTakeFirst();
}
