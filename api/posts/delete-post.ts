// Deletes the record of a post. Published posts stay on their networks, unless the client asks to remove them first.
import { giveBackUsage } from '../../schema/database/accounts/usage.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import {
  deletePostRow,
  lockPostWithResults,
  setPost,
} from '../../schema/database/posts/changes.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { PostResultRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer, type Effects } from '../http/transact.ts';
import { requireUnchanging } from './changes/changeable.ts';
import { requestRemoval } from './changes/unpublish-result.ts';
import { listTargetRows, wrongState } from './stored-post.ts';

export interface Deletion {
  /** How many of the deleted targets are public or may be. Zero while the targets are being removed. */
  stillPublic: number;
}

const isPublished = ({ status }: PostResultRow) => status === 'published';
const isUnknown = ({ error_code }: PostResultRow) => error_code === 'outcome_unknown';

export function deletePost(
  context: Context,
  caller: Caller,
  id: string,
  { unpublish = false } = {},
): Promise<Answer<Deletion>> {
  return transact(context, caller, async (effects) => {
    const { trx, change } = effects;
    const stored = await lockPostWithResults(trx, caller, id);
    const { post, results } = stored;
    if (post.status === 'pending') {
      throw wrongState(post, 'cancel it, or wait until it has ended');
    }
    results.forEach(requireUnchanging);
    const targets = listTargetRows(results);
    if (unpublish && targets.some((row) => isPublished(row) || isUnknown(row))) {
      return removeFirst(context, effects, caller, stored);
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
    const stillPublic = targets.filter((row) => isPublished(row) || isUnknown(row)).length;
    return { status: 204, data: { stillPublic } };
  });
}

/** The last removal deletes the record. */
async function removeFirst(
  context: Context,
  effects: Effects,
  caller: Caller,
  { post, results }: PostWithResults,
): Promise<Answer<Deletion>> {
  const { trx } = effects;
  const targets = listTargetRows(results);
  if (targets.some(isUnknown)) {
    const hint = 'Retry the target, which checks first, or delete only the record.';
    throw new AppError('conflict', 'The outcome of a target is unknown, so it may be public.', {
      hint,
    });
  }
  for (const result of targets.filter(isPublished)) {
    const account = await getAccountRow(trx, caller, result.social_account_id);
    await requestRemoval(context, effects, { post, result, results, account });
  }
  await setPost(trx, post.project_id, post.id, { is_removing: true });
  return { status: 202, data: { stillPublic: 0 } };
}
