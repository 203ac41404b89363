// Cancels a post. If it is being published, cancels the targets that can still be stopped.
import { stopTargets } from '../../activities/publishing/conclude-post.ts';
import { giveBackUsage } from '../../schema/database/accounts/usage.ts';
import type { PostResultRow } from '../../schema/database/tables.ts';
import {
  cancelResults,
  lockPostWithResults,
  setPost,
} from '../../schema/database/posts/changes.ts';
import { freeSlot } from '../../schema/database/queues/slots.ts';
import { getPostRow } from '../../schema/database/posts/posts.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Post } from '../../schema/posts/posts.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { isWaiting, wrongState } from './stored-post.ts';
import { presentPost } from './presenter.ts';

/** The row locks decide the race with the workflow: if the cancel is first, the workflow stops. */
export function cancelPost(context: Context, caller: Caller, id: string): Promise<Answer<Post>> {
  return transact(context, caller, async ({ trx, change, actor }) => {
    const stored = await lockPostWithResults(trx, caller, id);
    if (isWaiting(stored.post)) {
      const { projectId } = caller;
      await giveBackUsage(trx, projectId, await cancelResults(trx, projectId, id));
      if (stored.post.queue_id !== null) await freeSlot(trx, id);
      await setPost(trx, projectId, id, { status: 'canceled' });
      change({ subject: 'post', subject_id: id, kind: 'canceled' });
    } else if (stored.post.status === 'pending') {
      const { previewEvents } = context.config;
      const stopped = await stopTargets(trx, stored.post, { previewEvents, actor });
      if (stopped.length === 0) throw tooLate(stored.results);
      for (const result_id of stopped) {
        change({ subject: 'post', subject_id: id, result_id, kind: 'result.canceled' });
      }
    } else {
      throw wrongState(stored.post, 'there is nothing left to cancel');
    }
    const { post, results } = await getPostRow(trx, caller, id);
    return { status: 200, data: presentPost(context, post, results) };
  });
}

function tooLate(results: PostResultRow[]): AppError {
  const states = results
    .filter(({ kind }) => kind === 'post')
    .map((result) => `${result.account_name} (${result.platform}) ${describeState(result)}`);
  return new AppError('conflict', `It is too late to cancel the post: ${states.join(', ')}.`, {
    hint: 'A published target can be unpublished, where its network allows that.',
    details: { post_status: 'pending' },
  });
}

function describeState({ status, phase }: PostResultRow): string {
  if (status === 'published') return 'is published';
  if (status === 'failed') return 'has failed';
  if (status === 'canceled') return 'is canceled';
  if (phase === 'confirm') return 'was accepted by the network, which is still processing it';
  if (phase === 'reconcile') return 'was sent, and Fanfare is checking whether the network has it';
  return 'is being sent';
}
