// Cancels what can still be stopped of a post beside a worker that publishes it, by the API's own means.
import { stopTargets } from '../../../activities/publishing/stop-targets.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { lockPostWithResults } from '../../../schema/database/posts/changes.ts';
import type { TestPost } from './posting.ts';

/** The results that were stopped, once that is committed. */
export function cancel(db: Db, { projectId, postId }: TestPost): Promise<string[]> {
  const scope = { projectId, environment: 'production' } as const;
  return db.transaction().execute(async (trx) => {
    const { post } = await lockPostWithResults(trx, scope, postId);
    return stopTargets(trx, post, { previewEvents: false });
  });
}
