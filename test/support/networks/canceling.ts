// Cancels what can still be stopped of a post, as the API does, beside a worker that publishes it.
import { concludeRun } from '../../../activities/conclude-post.ts';
import { giveBackUsage } from '../../../schema/database/account-usage.ts';
import type { Db } from '../../../schema/database/database.ts';
import { cancelResults } from '../../../schema/database/post-changes.ts';
import { lockPost } from '../../../schema/database/posts.ts';
import type { TestPost } from './posting.ts';

/** The results that were stopped, once that is committed. */
export function cancel(db: Db, { postId }: TestPost): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    const post = await lockPost(trx, postId);
    const stopped = await cancelResults(trx, postId);
    await giveBackUsage(trx, stopped);
    if (stopped.length > 0) await concludeRun(trx, post!, { previewEvents: false });
    return stopped;
  });
}
