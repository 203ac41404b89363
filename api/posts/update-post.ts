// Changes the content, targets or time of a draft or a scheduled post.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { PostRow, QueueRow, Transaction } from '../../schema/database/tables.ts';
import { findQueue } from '../../schema/database/queues/queues.ts';
import {
  clearContentHashes,
  lockPostWithResults,
  reopenResult,
  replaceResults,
  setPost,
} from '../../schema/database/posts/changes.ts';
import { getPostRow, type PostWithResults } from '../../schema/database/posts/posts.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { toScheduledEvent } from '../../schema/database/posts/outcome-event.ts';
import type { UpdatePost } from '../../schema/posts/changes.ts';
import type { CheckedPost, PostIssue } from '../../schema/posts/posts.ts';
import { validationError, type Issue } from '../../schema/wire/errors.ts';
import { restNames, type Names } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer, type Effects } from '../http/transact.ts';
import { changeTime, deadlineOf, transitionOf, willBeDraft, writeTime } from './change-time.ts';
import { copyDefaults, takeBackDefaults } from './copy-defaults.ts';
import { countResults } from './count-usage.ts';
import { isWaiting, listCopiedDefaults, toTargetInput, wrongState } from './stored-post.ts';
import { attachPostMedia, detachPostMedia } from './attach-media.ts';
import { requireMayChange } from './only-drafts.ts';
import { presentPost } from './presenter.ts';
import { toResultRows } from './result-rows.ts';
import { replaceSteps } from './step-rows.ts';
import { listForms } from './checks/media.ts';
import { checkQueueFields } from './checks/queue.ts';
import { checkSchedule, hasSchedule, warnOfAdjustment } from './checks/schedule.ts';
import { presentIssue, warning } from './checks/target-issues.ts';
import { getNamedQueue, lockOpenQueue } from './queues/take-slot.ts';
import { warnOfSlot } from './queues/warnings.ts';
import { planTargets, type PlannedTarget } from './checks/targets.ts';

/** Checks the whole changed post, including the fields that don't change. */
export function updatePost(
  context: Context,
  caller: Caller,
  id: string,
  changes: UpdatePost,
  names: Names = restNames,
): Promise<Answer<CheckedPost>> {
  return transact(context, caller, async (effects) => {
    await requireMayChange(effects.trx, caller, id, changes);
    return changePost(context, effects, caller, { id, changes, names });
  });
}

/** `updatePost` in a transaction that does more. */
export async function changePost(
  context: Context,
  effects: Effects,
  scope: RowScope,
  { id, changes, names }: { id: string; changes: UpdatePost; names: Names },
): Promise<Answer<CheckedPost>> {
  const { status, queue_id } = changes;
  const content = contentOf(changes);
  refuse([...checkQueueFields(changes), ...checkSchedule(context.config, changes)]);
  const { trx } = effects;
  const lockQueue = status === 'draft' ? getNamedQueue : lockOpenQueue;
  const queue = queue_id === undefined ? undefined : await lockQueue(trx, scope, queue_id);
  const stored = await lockPostWithResults(trx, scope, id);
  if (!isWaiting(stored.post)) {
    throw wrongState(stored.post, 'only a draft or a scheduled post can be changed');
  }
  const { given, time, slot, hasLeft } = await changeTime(context, effects, scope, {
    post: stored.post,
    changes,
    queue,
  });
  const transition = transitionOf(stored.post, { status, ...given });
  const { newTargets, warnings } = await writeContent(context, effects, scope, stored, content, {
    publishAt: time.at ?? new Date(),
    isDraft: willBeDraft(stored.post, transition),
    names,
    queue: queue ?? (hasLeft ? undefined : await findQueueOf(trx, stored)),
  });
  if (hasSchedule(given) || transition) {
    await writeTime(trx, stored.post, transition, time);
  }
  if (queue) await setPost(trx, scope.projectId, id, { queue_id: queue.id });
  const subject = { subject: 'post', subject_id: id } as const;
  if (!transition || Object.keys(content).length > 0) {
    effects.change({ ...subject, kind: 'updated' });
  }
  if (transition) effects.change({ ...subject, kind: transition });
  const changed = await getPostRow(effects.trx, scope, id);
  const written = await attachPostMedia(effects.trx, scope, changed);
  await detachPostMedia(effects.trx, written);
  if (transition === 'scheduled' || transition === 'rescheduled') {
    await recordEvent(effects.trx, toScheduledEvent(written), context.config);
  }
  await countResults(context, effects, scope, written.results, {
    month: usageMonthOf(written.post),
    ...(newTargets && {
      replaced: stored.results,
      pathOf: (position: number) => newTargets[position]!.path,
    }),
  });
  const shown = presentPost(context, written.post, written.results);
  const adjustments = warnOfAdjustment(given).map((issue) => warning(issue));
  const accountIds = written.results.map(({ social_account_id }) => social_account_id);
  const ofSlot = queue && slot ? await warnOfSlot(trx, scope, queue, slot, accountIds) : [];
  const ofTime = [...adjustments, ...ofSlot].map((issue) => presentIssue(issue, new Map(), names));
  return { status: 200, data: { ...shown, warnings: [...ofTime, ...warnings] } };
}

function refuse(issues: Issue[]): void {
  if (issues.length > 0) throw validationError(issues);
}

/**
 * The queue whose slot the post has, or which the draft names, even if a test key may not see it. The post keeps its
 * accounts, even those that the queue has lost since.
 */
async function findQueueOf(
  trx: Transaction,
  { post: { project_id: projectId, queue_id }, results }: PostWithResults,
): Promise<QueueRow | undefined> {
  const scope = { projectId, environment: 'production' } as const;
  const queue = queue_id === null ? undefined : await findQueue(trx, scope, queue_id);
  const own = results.map(({ social_account_id }) => social_account_id);
  return queue && { ...queue, account_ids: [...queue.account_ids, ...own] };
}

/** The changes without those of the time. */
function contentOf(changes: UpdatePost) {
  const { scheduled_at: _at, schedule: _, status: _status, ...others } = changes;
  const { queue_id: _queue, queue_position: _position, ...content } = others;
  return content;
}

/** Month in which a post that has not started counts. Null for a draft. */
function usageMonthOf({ status, scheduled_at }: PostRow): string | null {
  return status === 'scheduled' && scheduled_at ? monthOf(scheduled_at) : null;
}

interface ContentOptions {
  publishAt: Date;
  isDraft: boolean;
  names: Names;
  /** The queue whose slot the post has, or which the draft names. */
  queue: QueueRow | undefined;
}

/** `newTargets`: the targets that replaced the stored ones. */
async function writeContent(
  context: Context,
  { trx }: Effects,
  scope: RowScope,
  stored: PostWithResults,
  changes: Partial<UpdatePost>,
  { isDraft, ...options }: ContentOptions,
): Promise<{ newTargets: PlannedTarget[] | undefined; warnings: PostIssue[] }> {
  const { account_ids, platform_posts, caption, media, media_ids, media_urls } = changes;
  const { metadata, labels } = changes;
  const { post } = stored;
  const { platform_posts: storedTargets, ...storedContent } = toTargetInput(stored);
  const isWithoutTargets = storedTargets?.length === 0 && options.queue !== undefined;
  const hasNewTargets =
    account_ids !== undefined || platform_posts !== undefined || isWithoutTargets;
  const hasNewMedia = listForms({ media, media_ids, media_urls }).length > 0;
  const content = {
    caption: caption ?? storedContent.caption,
    auto_fit: changes.auto_fit ?? storedContent.auto_fit,
  };
  const input = {
    ...content,
    ...(hasNewMedia ? { media, media_ids, media_urls } : { media: storedContent.media }),
    ...(hasNewTargets ? { account_ids, platform_posts } : { platform_posts: storedTargets }),
  };
  const planned = await planTargets({ ...context, db: trx }, scope, input, {
    ...options,
    isDraft,
    ...(!hasNewTargets && { copied: listCopiedDefaults(stored) }),
  });
  const { targets, warnings } = planned;
  if (hasNewTargets) {
    const { id, project_id: projectId } = post;
    const owner = { id, projectId, media: planned.media, usageMonth: null, isDraft };
    await replaceResults(trx, post.project_id, post.id, toResultRows(owner, targets));
  } else {
    await clearContentHashes(trx, post.project_id, post.id);
    if (isDraft) await takeBackDefaults(trx, stored);
    else await copyDefaults(trx, stored, targets);
    await replaceSteps(trx, stored, isDraft ? [] : targets, planned.media);
    const failed = stored.results.filter(({ status }) => status === 'failed');
    for (const row of failed) await reopenResult(trx, post.project_id, row);
  }
  await setPost(trx, post.project_id, post.id, {
    ...content,
    publish_by: deadlineOf(post, changes),
    ...(hasNewMedia && { media: JSON.stringify(planned.media) }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    ...(labels === undefined ? {} : { labels }),
  });
  return { newTargets: hasNewTargets ? targets : undefined, warnings };
}
