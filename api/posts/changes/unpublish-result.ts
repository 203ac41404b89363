// Removes a published target from its network, or records that the client removed it by hand.
import { recordTargetEvent } from '../../../activities/changes/record-change.ts';
import type { ResultRow } from '../../../schema/database/posts/posts.ts';
import {
  insertChange,
  insertRemovalByHand,
} from '../../../schema/database/posts/after-publishing/result-changes.ts';
import { findFirstComment } from '../../../schema/database/posts/targets.ts';
import type { PostResult } from '../../../schema/posts/posts.ts';
import { AppError } from '../../../schema/wire/errors.ts';
import type { Caller, Context } from '../../http/context.ts';
import { transact, type Answer, type Effects } from '../../http/transact.ts';
import {
  findRefusal,
  lockChangeable,
  readResult,
  requireNoReplies,
  type Changeable,
} from './changeable.ts';

/** `resultId` may also be the ID of a first comment. */
export function unpublishResult(
  context: Context,
  caller: Caller,
  id: string,
  resultId: string,
): Promise<Answer<PostResult>> {
  return transact(context, caller, async (effects) => {
    const changeable = await lockChangeable(effects.trx, caller, id, resultId);
    requireNoReplies(changeable);
    await requestRemoval(context, effects, changeable);
    return { status: 202, data: await readResult(context, effects, caller, changeable) };
  });
}

/** The first comment, if it is public and is not being removed, and the target. */
function listToRemove({ result, results }: Pick<Changeable, 'result' | 'results'>): ResultRow[] {
  const comment = findFirstComment(results, result.id);
  const isLeft = comment?.status === 'published' && comment.operation === null;
  return isLeft ? [comment, result] : [result];
}

/** Each change waits until the replies to its post are removed. Throws if Fanfare can't remove the post. */
export async function requestRemoval(
  context: Context,
  { trx, change, actor }: Effects,
  changeable: Changeable,
): Promise<void> {
  for (const row of listToRemove(changeable)) {
    const refusal = findRefusal(context, { ...changeable, result: row }, 'unpublish');
    if (refusal) throw refusal;
    await insertChange(trx, row, 'unpublish', { actor });
    change({
      subject: 'post',
      subject_id: row.post_id,
      result_id: row.id,
      kind: 'result.changing',
    });
  }
}

/** Only for a post that Fanfare can't remove, or failed to remove. A removal proves that the post is gone. */
export function markResultUnpublished(
  context: Context,
  caller: Caller,
  id: string,
  resultId: string,
): Promise<Answer<PostResult>> {
  return transact(context, caller, async (effects) => {
    const { trx, change, actor } = effects;
    const changeable = await lockChangeable(trx, caller, id, resultId);
    requireNoReplies(changeable);
    const hasTried = changeable.result.changes.at(-1)?.type === 'unpublish';
    if (!hasTried && !findRefusal(context, changeable, 'unpublish')) {
      const hint = 'Unpublish the target. If the post is already gone, that succeeds.';
      throw new AppError('conflict', 'Fanfare can remove the post itself.', { hint });
    }
    const { post, result } = changeable;
    for (const row of listToRemove(changeable)) {
      await insertRemovalByHand(trx, row, actor);
      change({ subject: 'post', subject_id: id, result_id: row.id, kind: 'result.unpublished' });
    }
    if (result.kind === 'post') {
      const about = { result_id: result.id };
      await recordTargetEvent(trx, post, about, 'post.unpublished', context.config);
    }
    return { status: 200, data: await readResult(context, effects, caller, changeable) };
  });
}
