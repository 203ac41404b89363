// The activities of `publishPost`: claim a run, advance its targets, conclude it.
import { activityInfo } from '@temporalio/activity';
import type { PublishPostInput } from '../schema/workflows.ts';
import { claimRun } from '../schema/database/posts.ts';
import { insertChanges } from '../schema/database/changes.ts';
import {
  advanceTarget,
  type AdvanceDependencies,
  type AdvanceTargetInput,
  type TargetProgress,
} from './advance-target.ts';
import { concludePost } from './conclude-post.ts';
import { withHeartbeat } from './with-heartbeat.ts';

export function createPublishing(dependencies: AdvanceDependencies) {
  const { db, doorbell } = dependencies;
  return {
    /** The targets of the run that are not finished; null when the run is another's. */
    async claimPost({ postId, run }: PublishPostInput): Promise<string[] | null> {
      const { workflowId } = activityInfo().workflowExecution!;
      const targets = await db.transaction().execute(async (trx) => {
        const claimed = await claimRun(trx, postId, run, workflowId);
        if (!claimed) return null;
        await insertChanges(trx, [
          { project_id: claimed.project_id, subject: 'post', subject_id: postId, kind: 'started' },
        ]);
        const rows = await trx
          .selectFrom('post_results')
          .select('id')
          .where('post_id', '=', postId)
          .where('status', 'in', ['pending', 'publishing'])
          .orderBy('position')
          .execute();
        return rows.map((row) => row.id);
      });
      if (targets) doorbell.ring('fanfare_changes');
      return targets;
    },

    advanceTarget: (input: AdvanceTargetInput): Promise<TargetProgress> =>
      withHeartbeat(() => advanceTarget(dependencies, input)),

    async concludePost(input: PublishPostInput): Promise<void> {
      await concludePost(dependencies, input);
    },
  };
}
