// Cancels a post, or of one that is being published the targets that can still be stopped.
import { stopTargets } from '../../activities/publishing/stop-targets.ts';
import { giveBackUsage } from '../../schema/database/accounts/usage.ts';
import type { PostResultRow } from '../../schema/database/tables.ts';
import {
  cancelResults,
  lockPostWithResults,
  setPost,
} from '../../schema/database/posts/changes.ts';
import { getPostRow } from '../../schema/database/posts/posts.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Post } from '../../schema/posts/posts.ts';
import type { Caller, Context } from '../server/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { isWaiting, wrongState } from './post-state.ts';
import { presentPost } from './presenter.ts';

/** Whoever locks the rows first decides: a workflow that comes later finds nothing to do. */
export function cancelPost(context: Context, caller: Caller, id: string): Promise<Answer<Post>> {
  return transact(context, caller, async ({ trx, change, notify }) => {
    const stored = await lockPostWithResults(trx, caller, id);
    if (isWaiting(stored.post)) {
      await giveBackUsage(trx, await cancelResults(trx, id));
      await setPost(trx, id, { status: 'canceled' });
      change({ subject: 'post', subject_id: id, kind: 'canceled' });
    } else if (stored.post.status === 'pending') {
      const stopped = await stopTargets(trx, stored.post, context.config);
      if (stopped.length === 0) throw tooLate(stored.results);
      for (const _ of stopped) change({ subject: 'post', subject_id: id, kind: 'result.canceled' });
      notify('fanfare_deliveries');
    } else {
      throw wrongState(stored.post, 'there is nothing left to cancel');
    }
    const { post, results } = await getPostRow(trx, caller, id);
    return { status: 200, data: presentPost(context, post, results) };
  });
}

function tooLate(results: PostResultRow[]): AppError {
  const doings = results
    .filter(({ kind }) => kind === 'post')
    .map((result) => `${result.account_name} (${result.platform}) ${doingOf(result)}`);
  return new AppError('conflict', `It is too late to cancel the post: ${doings.join(', ')}.`, {
    hint: 'A post that has been sent to its network can be deleted only there.',
    details: { post_status: 'pending' },
  });
}

function doingOf({ status, phase }: PostResultRow): string {
  if (status === 'published') return 'is published';
  if (status === 'failed') return 'has failed';
  if (status === 'canceled') return 'is canceled';
  if (phase === 'confirm') return 'was taken by the network, which is still at work on it';
  if (phase === 'reconcile') return 'was sent, and the network is asked whether it has it';
  return 'is being sent';
}
