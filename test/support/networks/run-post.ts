// Runs a post or a group of posts as their workflows do, without timers: claims, advances targets, concludes.
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { pino } from 'pino';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { createAdmission } from '../../../activities/publishing/admission.ts';
import { createPublishing } from '../../../activities/publishing/index.ts';
import type {
  AdvancedPosts,
  BegunTarget,
  NotDue,
  PublishPostInput,
  TargetProgress,
} from '../../../schema/workflows.ts';
import { run, type TestPost } from './posting.ts';

/** Hides the warnings of a worker that dies. */
const logger = new DefaultLogger('ERROR');

/** The activities of a worker for one workflow. */
function createActivities(dependencies: AdvanceDependencies, workflowId: string) {
  const publishing = createPublishing({
    ...dependencies,
    admission: createAdmission(),
    stopping: new AbortController().signal,
    log: pino({ level: 'silent' }),
  });
  const worker = new MockActivityEnvironment(
    { workflowExecution: { workflowId, runId: 'r' } },
    { logger },
  );
  const advance = async (resultId: string) =>
    (await worker.run(publishing.advanceTarget, { resultId, run })) as TargetProgress;

  return {
    begin: async (input: PublishPostInput) =>
      (await worker.run(publishing.beginPost, input)) as BegunTarget[] | NotDue | null,
    advancePosts: async (posts: PublishPostInput[]) =>
      (await worker.run(publishing.advancePosts, { posts })) as AdvancedPosts,
    async finish(postId: string, targets: BegunTarget[]): Promise<void> {
      for (const { resultId, progress: begun } of targets) {
        let progress = begun ?? (await advance(resultId));
        for (let i = 0; progress.waitMs !== null; i++) {
          if (i === 200) throw new Error('The target does not end.');
          await sleep(progress.waitMs);
          progress = await advance(resultId);
        }
      }
      await worker.run(publishing.concludePost, { postId, run });
    },
  };
}

export async function runPost(
  dependencies: AdvanceDependencies,
  { postId, workflowId }: TestPost,
): Promise<void> {
  const { begin, finish } = createActivities(dependencies, workflowId);
  const targets = await begin({ postId, run });
  if (targets && !('waitMs' in targets)) await finish(postId, targets);
}

/** Runs posts that belong to this workflow until all of them have ended. */
export async function runGroup(
  dependencies: AdvanceDependencies,
  workflowId: string,
  postIds: string[],
): Promise<void> {
  const { advancePosts, finish } = createActivities(dependencies, workflowId);
  let left = postIds;
  for (let i = 0; left.length > 0; i++) {
    if (i === 200) throw new Error('The group does not end.');
    const { waiting, slow } = await advancePosts(left.map((postId) => ({ postId, run })));
    await Promise.all(slow.map(({ postId, targets }) => finish(postId, targets)));
    left = waiting.map(({ postId }) => postId);
    await sleep(Math.max(0, ...waiting.map(({ waitMs }) => waitMs)));
  }
}
