// Stops the targets of a post that can still be stopped, beside whoever publishes them.
import { giveBackUsage } from '../../schema/database/accounts/usage.ts';
import type { PostRow, Transaction } from '../../schema/database/tables.ts';
import { cancelResults } from '../../schema/database/posts/changes.ts';
import { concludeRun } from './conclude-post.ts';

/**
 * Of a pending post that is locked by `trx` together with its results. Returns the ids of those that
 * were stopped; when none is on its way any more, this is the end of the run.
 */
export async function stopTargets(
  trx: Transaction,
  post: PostRow,
  options: { previewEvents: boolean },
): Promise<string[]> {
  const stopped = await cancelResults(trx, post.id);
  if (stopped.length === 0) return stopped;
  await giveBackUsage(trx, stopped);
  await concludeRun(trx, post, options);
  return stopped;
}
