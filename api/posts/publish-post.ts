// Publishes a draft or a scheduled post now.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import { lockPostWithResults } from '../../schema/database/posts/changes.ts';
import { getPostRow } from '../../schema/database/posts/posts.ts';
import type { Post } from '../../schema/posts/posts.ts';
import type { Caller, Context } from '../server/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { countResults } from './count-usage.ts';
import { isWaiting, wrongState } from './post-state.ts';
import { presentPost } from './presenter.ts';
import { startRun } from './start-run.ts';
import { toTargetInput } from './stored-post.ts';
import { planTargets } from './checks/targets.ts';

/** Checks the post as it stands like a new one: it may have waited for long. */
export function publishPost(context: Context, caller: Caller, id: string): Promise<Answer<Post>> {
  return transact(context, caller, async (effects) => {
    const { trx, change } = effects;
    const stored = await lockPostWithResults(trx, caller, id);
    if (!isWaiting(stored.post)) {
      throw wrongState(stored.post, 'only a draft or a scheduled post can be published now');
    }
    await planTargets({ ...context, db: trx }, caller, toTargetInput(stored));
    await startRun(effects, stored.post, { status: 'pending', scheduledAt: null });
    change({ subject: 'post', subject_id: id, kind: 'submitted' });
    const { post, results } = await getPostRow(trx, caller, id);
    await countResults(context, effects, results, { month: monthOf(new Date()) });
    return { status: 202, data: presentPost(context, post, results) };
  });
}
