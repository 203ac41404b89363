// Publishes a draft or a scheduled post now.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import { lockPostWithResults } from '../../schema/database/posts/changes.ts';
import { getPostRow } from '../../schema/database/posts/posts.ts';
import { startRun } from '../../schema/database/posts/runs.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { CheckedPost } from '../../schema/posts/posts.ts';
import { restNames, type Names } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer, type Effects } from '../http/transact.ts';
import { copyDefaults } from './copy-defaults.ts';
import { countResults } from './count-usage.ts';
import { isWaiting, listCopiedDefaults, toTargetInput, wrongState } from './stored-post.ts';
import { attachPostMedia } from './attach-media.ts';
import { presentPost } from './presenter.ts';
import { leaveQueue } from './queues/take-slot.ts';
import { planTargets } from './checks/targets.ts';
import { replaceSteps } from './step-rows.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';

/** Checks the post like a new one, since rules and accounts may have changed since its creation. */
export function publishPost(
  context: Context,
  caller: Caller,
  id: string,
  names: Names = restNames,
): Promise<Answer<CheckedPost>> {
  return transact(context, caller, (effects) => startPost(context, effects, caller, { id, names }));
}

/** `publishPost` in a transaction that does more. */
export async function startPost(
  context: Context,
  effects: Effects,
  scope: RowScope,
  { id, names }: { id: string; names: Names },
): Promise<Answer<CheckedPost>> {
  const { trx, change } = effects;
  const stored = await lockPostWithResults(trx, scope, id);
  if (!isWaiting(stored.post)) {
    throw wrongState(stored.post, 'only a draft or a scheduled post can be published now');
  }
  const now = new Date();
  if (stored.post.publish_by && stored.post.publish_by <= now) throw deadlinePassed();
  const options = { publishAt: now, isDraft: false, names, copied: listCopiedDefaults(stored) };
  const input = toTargetInput(stored);
  const { targets, media, warnings } = await planTargets(
    { ...context, db: trx },
    scope,
    input,
    options,
  );
  await copyDefaults(trx, stored, targets);
  await replaceSteps(trx, stored, targets, media);
  await leaveQueue(trx, stored.post);
  await startRun(trx, stored.post, { status: 'pending', scheduledAt: null, schedule: null });
  change({ subject: 'post', subject_id: id, kind: 'submitted' });
  const written = await getPostRow(trx, scope, id);
  const { post, results } = await attachPostMedia(trx, scope, written);
  await countResults(context, effects, scope, results, { month: monthOf(new Date()) });
  return { status: 202, data: { ...presentPost(context, post, results), warnings } };
}

/** The error for a post whose deadline has passed, so that a run would fail at once. */
export function deadlinePassed(): AppError {
  return new AppError('conflict', 'The deadline of the post has passed.', {
    hint: ({ field }) =>
      `Change ${field('publish_by')} of a draft or a scheduled post, or create a new post.`,
  });
}
