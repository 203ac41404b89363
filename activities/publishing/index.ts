// The activities of `publishPost`: claim a run, advance its targets, conclude it.
import { activityInfo } from '@temporalio/activity';
import { claimRun, listOpenTargets, type OpenTarget } from '../../schema/database/posts/posts.ts';
import { findFinishedPost } from '../../schema/database/posts/targets.ts';
import type {
  BegunTarget,
  ClaimedTarget,
  NotDue,
  PublishPostInput,
  TargetProgress,
} from '../../schema/workflows.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import { advanceTarget, type AdvanceTargetInput } from './advance-target.ts';
import { concludePost } from './conclude-post.ts';
import type { FirstTasks } from './admission.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { within } from '../within.ts';

export interface PublishingDependencies extends AdvanceDependencies {
  firstTasks: FirstTasks;
}

/** A call that takes longer goes on, and an activity of the target's own waits for its end. */
const soonMs = 2_000;

export function createPublishing(dependencies: PublishingDependencies) {
  const { db, notifier, firstTasks } = dependencies;
  const underWay = new Map<string, Promise<TargetProgress>>();

  /** The same promise for whoever asks while it is under way. */
  function begin(input: AdvanceTargetInput): Promise<TargetProgress> {
    const key = `${input.resultId}/${input.run}`;
    const going =
      underWay.get(key) ?? advanceTarget(dependencies, input).finally(() => underWay.delete(key));
    underWay.set(key, going);
    return going;
  }

  /** The last target ends the run: no activity more for that. */
  async function concludeAfter(
    progress: TargetProgress,
    { resultId, run }: AdvanceTargetInput,
  ): Promise<TargetProgress> {
    if (progress.waitMs !== null) return progress;
    const postId = await findFinishedPost(db, resultId);
    if (postId === undefined) return progress;
    await concludePost(dependencies, { postId, run });
    return { ...progress, isConcluded: true };
  }

  /** Each at once, or when the target that it answers has ended. Undefined: it must wait for that. */
  function beginAll(targets: ClaimedTarget[], run: number) {
    const ways = new Map<string, Promise<TargetProgress | undefined>>();
    for (const { resultId, after } of targets) {
      const before = after === undefined ? undefined : ways.get(after);
      const way = before
        ? before.then((ended) => (ended?.waitMs === null ? begin({ resultId, run }) : undefined))
        : begin({ resultId, run });
      ways.set(resultId, way);
    }
    return ways;
  }

  async function claimPost(input: PublishPostInput): Promise<ClaimedTarget[] | NotDue | null> {
    const { workflowId } = activityInfo().workflowExecution!;
    const claimed = await claimRun(db, input.postId, input.run, workflowId);
    if (claimed !== 'claimed') return claimed ?? null;
    notifier.notify('fanfare_changes');
    return answeredFirst(await listOpenTargets(db, input.postId));
  }

  return {
    /**
     * The targets and comments of the run that are not finished; null when the run is another's. How
     * long to wait, where it is not due.
     */
    claimPost,

    /** The same, and each target as far as it came soon; null also when the run has ended with that. */
    async beginPost(input: PublishPostInput): Promise<BegunTarget[] | NotDue | null> {
      const targets = await claimPost(input);
      if (!targets || 'waitMs' in targets) return targets;
      const leave = await firstTasks.enter();
      if (!leave) return targets.map((target) => ({ ...target, progress: { waitMs: 0 } }));
      try {
        const ways = beginAll(targets, input.run);
        const begun = await Promise.all(
          targets.map(async (target) => ({
            ...target,
            progress: await within(soonMs, ways.get(target.resultId)!),
          })),
        );
        if (begun.some(({ progress }) => progress?.waitMs !== null)) return begun;
        await concludePost(dependencies, input);
        return null;
      } finally {
        leave();
      }
    },

    advanceTarget: (input: AdvanceTargetInput): Promise<TargetProgress> =>
      withHeartbeat(async () => concludeAfter(await begin(input), input)),

    async concludePost(input: PublishPostInput): Promise<void> {
      await concludePost(dependencies, input);
    },
  };
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
