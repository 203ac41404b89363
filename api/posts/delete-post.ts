// Deletes the record of a post. Published posts stay on their networks.
import { giveBackUsage } from '../../schema/database/accounts/usage.ts';
import { deletePostRow, lockPostWithResults } from '../../schema/database/posts/changes.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { wrongState } from './stored-post.ts';

export function deletePost(context: Context, caller: Caller, id: string): Promise<Answer<null>> {
  return transact(context, caller, async ({ trx, change }) => {
    const { post, results } = await lockPostWithResults(trx, caller, id);
    if (post.status === 'pending') {
      throw wrongState(post, 'cancel it, or wait until it has ended');
    }
    // Only a scheduled post gives its usage back. A finished post has used it.
    if (post.status === 'scheduled') {
      await giveBackUsage(
        trx,
        caller.projectId,
        results.map((result) => result.id),
      );
    }
    await deletePostRow(trx, caller.projectId, id);
    change({
      subject: 'post',
      subject_id: id,
      kind: 'deleted',
      environment: post.environment,
    });
    return { status: 204, data: null };
  });
}
