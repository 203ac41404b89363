// The runs of a group of posts. One activity advances all posts of the group that are due.
import { condition, continueAsNew } from '@temporalio/workflow';
import type {
  PublishPostInput,
  PublishPostsInput,
  PublishPostsResult,
  SlowPost,
  WaitingPost,
} from '../schema/workflows.ts';
import { advancePosts, concludePost } from './activities.ts';
import { createActivityLimit, isHistoryLong } from './activity-limit.ts';
import { advanceTargets } from './advance-targets.ts';
import { groupByTime, type Group } from './group-by-time.ts';

/** Pending activities. Together with those of the groups, they stay below Temporal's limit of 2,000. */
const maxSlow = 1_000;
const maxCrowded = 500;
/** Posts that wait form new groups. A group gathers for a tenth of its wait, within these limits. */
const minWindowMs = 100;
const maxWindowMs = 3_000;

export async function publishPosts(input: PublishPostsInput): Promise<PublishPostsResult> {
  const left = new Map(input.posts.map(({ postId, run }) => [postId, { postId, run }]));
  const ended = [...(input.ended ?? [])];
  const limits = { slow: createActivityLimit(maxSlow), crowded: createActivityLimit(maxCrowded) };

  /** A slow group or post doesn't delay the others. */
  const advance = async (posts: PublishPostInput[]): Promise<void> => {
    const advanced = await advancePosts({ posts });
    const open = new Set([...advanced.waiting, ...advanced.slow].map(({ postId }) => postId));
    for (const { postId } of posts) if (!open.has(postId)) left.delete(postId);
    ended.push(...advanced.ended);
    const groups = groupByTime(advanced.waiting, windowOf);
    await Promise.all([...groups.map(advanceLater), ...advanced.slow.map(advanceSlow)]);
  };

  const advanceLater = async ({ items, waitMs }: Group<WaitingPost>): Promise<void> => {
    const mustWait = waitMs > 0 || isHistoryLong();
    if (mustWait && (await condition(isHistoryLong, waitMs))) return;
    await advance(items.map(({ postId, run }) => ({ postId, run })));
  };

  const advanceSlow = async ({ postId, run, targets }: SlowPost): Promise<void> => {
    const end = await advanceTargets(targets, run, limits);
    if (end === 'left') return;
    if (end === 'ended') await concludePost({ postId, run });
    left.delete(postId);
    ended.push(postId);
  };

  await advance(input.posts);
  if (left.size === 0) return { ended };
  return continueAsNew<typeof publishPosts>({ posts: [...left.values()], ended });
}

function windowOf(waitMs: number): number {
  return Math.min(Math.max(waitMs / 10, minWindowMs), maxWindowMs);
}
