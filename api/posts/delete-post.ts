// Deletes our record of a post; what is public stays where it is.
import { giveBackUsage } from '../../schema/database/accounts/usage.ts';
import { deletePostRow, lockPostWithResults } from '../../schema/database/posts/changes.ts';
import type { Caller, Context } from '../server/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { wrongState } from './post-state.ts';

export function deletePost(context: Context, caller: Caller, id: string): Promise<Answer<null>> {
  return transact(context, caller, async ({ trx, change }) => {
    const { post, results } = await lockPostWithResults(trx, caller, id);
    if (post.status === 'pending') {
      throw wrongState(post, 'cancel it, or wait until it has ended');
    }
    // What has ended counts on: only a scheduled post frees what it was counted for.
    if (post.status === 'scheduled') {
      await giveBackUsage(
        trx,
        results.map((result) => result.id),
      );
    }
    await deletePostRow(trx, id);
    change({
      subject: 'post',
      subject_id: id,
      kind: 'deleted',
      environment: post.environment,
    });
    return { status: 204, data: null };
  });
}
