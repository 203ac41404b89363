// Changes a draft or a scheduled post: its content, its targets, its time.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import type { PostRow } from '../../schema/database/tables.ts';
import {
  lockPostWithResults,
  replaceResults,
  setPost,
} from '../../schema/database/posts/changes.ts';
import { getPostRow, type PostWithResults } from '../../schema/database/posts/posts.ts';
import type { UpdatePost } from '../../schema/posts/changes.ts';
import type { Post } from '../../schema/posts/posts.ts';
import type { Caller, Context } from '../server/context.ts';
import { transact, type Answer, type Effects } from '../http/transact.ts';
import { countResults } from './count-usage.ts';
import { recordScheduled } from './create-post.ts';
import { isWaiting, wrongState } from './post-state.ts';
import { presentPost } from './presenter.ts';
import { toResultRows } from './result-rows.ts';
import { readSchedule } from './checks/schedule.ts';
import { startRun } from './start-run.ts';
import { toTargetInput } from './stored-post.ts';
import { planTargets, type PlannedTarget } from './checks/targets.ts';

/** Checks the whole post as it will be, also what stays. */
export async function updatePost(
  context: Context,
  caller: Caller,
  id: string,
  changes: UpdatePost,
): Promise<Answer<Post>> {
  const { scheduled_at, status: _, ...content } = changes;
  const scheduledAt = readSchedule(context.config, { scheduled_at: scheduled_at ?? undefined });
  return transact(context, caller, async (effects) => {
    const stored = await lockPostWithResults(effects.trx, caller, id);
    if (!isWaiting(stored.post)) {
      throw wrongState(stored.post, 'only a draft or a scheduled post can be changed');
    }
    const newTargets = await writeContent(context, effects, caller, stored, content);
    const turn = turnOf(stored.post, changes);
    if (scheduled_at !== undefined || turn) {
      const time = scheduled_at === undefined ? stored.post.scheduled_at : scheduledAt;
      await writeTime(effects, stored.post, turn, time);
    }
    const subject = { subject: 'post', subject_id: id } as const;
    if (!turn || Object.keys(content).length > 0) effects.change({ ...subject, kind: 'updated' });
    if (turn) effects.change({ ...subject, kind: turn });
    const written = await getPostRow(effects.trx, caller, id);
    if (turn === 'scheduled' || turn === 'rescheduled') {
      await recordScheduled(context, effects, written);
      effects.notify('fanfare_deliveries');
    }
    await countResults(context, effects, written.results, {
      month: usageMonthOf(written.post),
      ...(newTargets && {
        replaced: stored.results,
        pathOf: (position: number) => newTargets[position]!.path,
      }),
    });
    return { status: 200, data: presentPost(context, written.post, written.results) };
  });
}

/** Of a post that has not begun. */
function usageMonthOf({ status, scheduled_at }: PostRow): string | null {
  return status === 'scheduled' && scheduled_at ? monthOf(scheduled_at) : null;
}

/** Returns the targets that took the place of the stored ones, where some did. */
async function writeContent(
  context: Context,
  { trx }: Effects,
  caller: Caller,
  stored: PostWithResults,
  { account_ids, platform_posts, caption, media_urls, metadata }: Partial<UpdatePost>,
): Promise<PlannedTarget[] | undefined> {
  const { post } = stored;
  const { platform_posts: storedTargets, ...storedContent } = toTargetInput(stored);
  const hasNewTargets = account_ids !== undefined || platform_posts !== undefined;
  const content = {
    caption: caption ?? storedContent.caption,
    media_urls: media_urls ?? storedContent.media_urls,
  };
  const targets = await planTargets({ ...context, db: trx }, caller, {
    ...content,
    ...(hasNewTargets ? { account_ids, platform_posts } : { platform_posts: storedTargets }),
  });
  if (hasNewTargets) {
    const owner = { id: post.id, projectId: post.project_id, usageMonth: null };
    await replaceResults(trx, post.id, toResultRows(owner, targets));
  }
  await setPost(trx, post.id, {
    ...content,
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
  });
  return hasNewTargets ? targets : undefined;
}

type Turn = 'scheduled' | 'rescheduled' | 'unscheduled';

/** What the change makes of the post's state; undefined: nothing. */
function turnOf(
  { status }: PostRow,
  { status: wanted, scheduled_at }: UpdatePost,
): Turn | undefined {
  if (status === 'scheduled') {
    if (wanted === 'draft' || scheduled_at === null) return 'unscheduled';
    return scheduled_at === undefined ? undefined : 'rescheduled';
  }
  return scheduled_at && wanted !== 'draft' ? 'scheduled' : undefined;
}

/** A draft may have a time too, at which nothing happens. */
async function writeTime(
  effects: Effects,
  post: PostRow,
  turn: Turn | undefined,
  scheduledAt: Date | null,
): Promise<void> {
  if (turn === 'scheduled' || turn === 'rescheduled') {
    return startRun(effects, post, { status: 'scheduled', scheduledAt });
  }
  await setPost(effects.trx, post.id, {
    status: 'draft',
    due_at: null,
    workflow_id: null,
    scheduled_at: scheduledAt,
  });
}
