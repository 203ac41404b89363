// The activities of `publishPost` and `publishPosts`.
import { activityInfo } from '@temporalio/activity';
import { findFinishedPost } from '../../schema/database/posts/targets.ts';
import type {
  AdvancedPosts,
  BegunTarget,
  NotDue,
  PublishPostInput,
  PublishPostsInput,
  TargetProgress,
} from '../../schema/workflows.ts';
import { advanceTarget, type AdvanceTargetInput } from './advance-target.ts';
import type { Concluded } from './conclude-post.ts';
import { createPostRuns, type PostRunDependencies } from './post-runs.ts';
import { endedPosts, endedResults } from '../metrics.ts';
import { withHeartbeat } from '../with-heartbeat.ts';

export type PublishingDependencies = PostRunDependencies;

export function createPublishing(dependencies: PublishingDependencies) {
  const { db } = dependencies;
  const log = dependencies.log.child({ component: 'publishing' });
  const inFlight = new Map<string, Promise<TargetProgress>>();

  /** Joins the advance of this target that is already in flight, if any. */
  function advance(input: AdvanceTargetInput, { mayCrowd = false } = {}): Promise<TargetProgress> {
    const key = `${input.resultId}/${input.run}`;
    const progress =
      inFlight.get(key) ??
      advanceTarget(dependencies, input, { mayCrowd }).finally(() => inFlight.delete(key));
    inFlight.set(key, progress);
    return progress;
  }

  async function conclude(input: PublishPostInput, projectId?: string): Promise<void> {
    const concluded = await dependencies.writes.conclude(input, projectId);
    if (!concluded) return;
    log.info(toFields(input.postId, concluded), `post ${concluded.status}`);
    countEnd(concluded);
  }

  /** Concludes the run after the last target, which saves an activity. */
  async function concludeAfter(
    progress: TargetProgress,
    { resultId, run }: AdvanceTargetInput,
  ): Promise<TargetProgress> {
    if (progress.waitMs !== null) return progress;
    const postId = await findFinishedPost(db, resultId);
    if (postId === undefined) return progress;
    await conclude({ postId, run });
    return { ...progress, isConcluded: true };
  }

  const runs = createPostRuns(dependencies, { advance, conclude });
  const workflowId = () => activityInfo().workflowExecution!.workflowId;

  return {
    /**
     * Claims the run and advances its open targets for a short time. Null: the run has been concluded, or
     * another workflow owns it.
     */
    beginPost: (input: PublishPostInput): Promise<BegunTarget[] | NotDue | null> =>
      runs.beginPost(input, workflowId()),

    /** Like `beginPost` for the posts of a group. Takes 10 s at most. */
    advancePosts: ({ posts }: Pick<PublishPostsInput, 'posts'>): Promise<AdvancedPosts> =>
      withHeartbeat(() => runs.advancePosts(posts, workflowId())),

    advanceTarget: (input: AdvanceTargetInput): Promise<TargetProgress> =>
      withHeartbeat(async () => concludeAfter(await advance(input), input)),

    /** Advances the target in a slot for crowded projects. */
    advanceCrowded: (input: AdvanceTargetInput): Promise<TargetProgress> =>
      withHeartbeat(async () => concludeAfter(await advance(input, { mayCrowd: true }), input)),

    concludePost: conclude,
  };
}

function countEnd({ status, results }: Concluded): void {
  endedPosts.inc({ status });
  for (const { platform, status, error_code } of results) {
    endedResults.inc({ platform, status, error_code: error_code ?? '' });
  }
}

function toFields(post_id: string, { projectId, status, results }: Concluded) {
  return {
    project_id: projectId,
    post_id,
    status,
    results: results.map(({ id, platform, status, error_code }) => {
      return { result_id: id, platform, status, error_code };
    }),
  };
}
