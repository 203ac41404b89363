// The activities of `publishPost`: claim a run, advance its targets, conclude it.
import { activityInfo } from '@temporalio/activity';
import type { Db } from '../schema/database/database.ts';
import { claimRun, listOpenTargets, type OpenTarget } from '../schema/database/posts.ts';
import { findFinishedPost } from '../schema/database/targets.ts';
import type { ClaimedTarget, PublishPostInput, TargetProgress } from '../schema/workflows.ts';
import type { AdvanceDependencies } from './advance-dependencies.ts';
import { advanceTarget, type AdvanceTargetInput } from './advance-target.ts';
import { concludePost } from './conclude-post.ts';
import type { FirstTasks } from './first-tasks.ts';
import { withHeartbeat } from './with-heartbeat.ts';

export interface PublishingDependencies extends AdvanceDependencies {
  firstTasks: FirstTasks;
}

export function createPublishing(dependencies: PublishingDependencies) {
  const { db, doorbell, firstTasks } = dependencies;

  async function advance(input: AdvanceTargetInput): Promise<TargetProgress> {
    const progress = await advanceTarget(dependencies, input);
    if (progress.waitMs !== null) return progress;
    // The last target ends the run: no activity more for that.
    const postId = await findFinishedPost(db, input.resultId);
    if (postId === undefined) return progress;
    await concludePost(dependencies, { postId, run: input.run });
    return { ...progress, isConcluded: true };
  }

  return {
    /** The targets and comments of the run that are not finished; null when the run is another's. */
    async claimPost(input: PublishPostInput): Promise<ClaimedTarget[] | null> {
      const { workflowId } = activityInfo().workflowExecution!;
      const targets = await claim(db, input, workflowId);
      if (targets) doorbell.ring('fanfare_changes');
      return targets;
    },

    /** `advanceTarget` as a local activity; `waitMs` 0: the ordinary one must do it. */
    async beginTarget(input: AdvanceTargetInput): Promise<TargetProgress> {
      return (await firstTasks.begin(() => advance(input))) ?? { waitMs: 0 };
    },

    advanceTarget: (input: AdvanceTargetInput): Promise<TargetProgress> =>
      withHeartbeat(() => advance(input)),

    async concludePost(input: PublishPostInput): Promise<void> {
      await concludePost(dependencies, input);
    },
  };
}

async function claim(
  db: Db,
  { postId, run }: PublishPostInput,
  workflowId: string,
): Promise<ClaimedTarget[] | null> {
  if (!(await claimRun(db, postId, run, workflowId))) return null;
  return answeredFirst(await listOpenTargets(db, postId));
}

/** In the order of their positions, but for those that answer a later one. */
function answeredFirst(rows: OpenTarget[]): ClaimedTarget[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ordered = new Map<string, ClaimedTarget>();
  const add = ({ id, answers_result_id }: OpenTarget): void => {
    if (ordered.has(id)) return;
    const answered = answers_result_id === null ? undefined : byId.get(answers_result_id);
    if (answered) add(answered);
    ordered.set(id, { resultId: id, ...(answered ? { after: answered.id } : {}) });
  };
  rows.forEach(add);
  return [...ordered.values()];
}
