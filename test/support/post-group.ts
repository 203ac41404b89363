// A group of posts of one workflow at a scripted network, and the activity `advancePosts`, which publishes it.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createAdmission } from '../../activities/publishing/admission.ts';
import {
  createPublishing,
  type PublishingDependencies,
} from '../../activities/publishing/index.ts';
import type { PostStatus } from '../../schema/posts/posts.ts';
import { defaultTargetClock } from '../../schema/retry.ts';
import type { AdvancedPosts } from '../../schema/workflows.ts';
import { forEachTest } from './fixtures.ts';
import { dependenciesOf } from './networks/posting.ts';
import type { TestDatabase } from './rows/database.ts';
import { addAccount, addTargets, targetRun, type TestAccount } from './rows/targets.ts';
import type { ScriptedNetwork } from './scripted-network.ts';

export const groupWorkflowId = 'posts/1';

export function usePostGroup(database: TestDatabase, network: ScriptedNetwork) {
  const state = forEachTest(() => {
    const stop = new AbortController();
    const dependencies: PublishingDependencies = {
      ...dependenciesOf(database.db, network, {
        ...defaultTargetClock,
        unavailableDelaysMs: [60_000],
      }),
      admission: createAdmission(),
      stopping: stop.signal,
    };
    return { dependencies, stop };
  });

  /** Adds a post of the group. */
  async function addPost(account: TestAccount, targets = [{}]) {
    const added = await addTargets(database.db, account, targets);
    const post = database.db.updateTable('posts').set({ workflow_id: groupWorkflowId });
    await post.where('id', '=', added.postId).execute();
    return added;
  }

  return {
    get dependencies(): PublishingDependencies {
      return state.dependencies;
    },
    /** The worker stops. */
    stop: () => state.stop.abort(),
    addPost,
    /** Adds posts of one account. Returns their IDs. */
    async addPosts(count: number): Promise<string[]> {
      const account = await addAccount(database.db);
      const added = await Promise.all(Array.from({ length: count }, () => addPost(account)));
      return added.map(({ postId }) => postId);
    },
    async advance(
      postIds: string[],
      dependencies: PublishingDependencies = state.dependencies,
    ): Promise<AdvancedPosts> {
      const { advancePosts } = createPublishing(dependencies);
      const worker = new MockActivityEnvironment(
        { workflowExecution: { workflowId: groupWorkflowId, runId: 'r' } },
        { logger: new DefaultLogger('ERROR') },
      );
      const posts = postIds.map((postId) => ({ postId, run: targetRun }));
      return (await worker.run(advancePosts, { posts })) as AdvancedPosts;
    },
    /** The statuses in the order of the given IDs. */
    async statusesOf(postIds: string[]): Promise<PostStatus[]> {
      const posts = database.db.selectFrom('posts').select(['id', 'status']);
      const rows = await posts.where('id', 'in', postIds).execute();
      const statuses = new Map(rows.map(({ id, status }) => [id, status]));
      return postIds.map((id) => statuses.get(id)!);
    },
    /** How many calls are in progress. */
    async countBegun(): Promise<number> {
      const sending = database.db.selectFrom('post_results').where('status', '=', 'publishing');
      return (await sending.where('phase_state', '=', 'begun').select('id').execute()).length;
    },
  };
}
