// The activities of `publishPost`.
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
import { concludePost, type Concluded } from './conclude-post.ts';
import type { Admission } from './admission.ts';
import { endedPosts, endedResults } from '../metrics.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { within } from '../within.ts';

export interface PublishingDependencies extends AdvanceDependencies {
  admission: Admission;
}

/** A longer call continues after this, and a separate activity waits for its end. */
const soonMs = 2_000;

export function createPublishing(dependencies: PublishingDependencies) {
  const { db, notifier, admission } = dependencies;
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

  async function conclude(input: PublishPostInput): Promise<void> {
    const concluded = await concludePost(dependencies, input);
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

  /** A reply begins when the target that it replies to has ended. Undefined: the reply must wait. */
  function advanceAll(targets: ClaimedTarget[], run: number) {
    const all = new Map<string, Promise<TargetProgress | undefined>>();
    for (const { resultId, after } of targets) {
      const start = () => advance({ resultId, run });
      const before = after === undefined ? undefined : all.get(after);
      const hasEnded = (progress: TargetProgress | undefined) => progress?.waitMs === null;
      const progress = before?.then((end) => (hasEnded(end) ? start() : undefined)) ?? start();
      all.set(resultId, progress);
    }
    return all;
  }

  /** The open targets and comments of the run. */
  async function claimPost(input: PublishPostInput): Promise<ClaimedTarget[] | NotDue | null> {
    const { workflowId } = activityInfo().workflowExecution!;
    const claimed = await claimRun(db, notifier, input, workflowId);
    if (claimed !== 'claimed') return claimed ?? null;
    return answeredFirst(await listOpenTargets(db, input.postId));
  }

  return {
    /**
     * Claims the run and advances its open targets for a short time. Null: the run has been concluded, or
     * another workflow owns it.
     */
    async beginPost(input: PublishPostInput): Promise<BegunTarget[] | NotDue | null> {
      const targets = await claimPost(input);
      if (!targets || 'waitMs' in targets) return targets;
      const leave = await admission.enter();
      if (!leave) return targets.map((target) => ({ ...target, progress: { waitMs: 0 } }));
      try {
        const all = advanceAll(targets, input.run);
        const begun = await Promise.all(
          targets.map(async (target) => ({
            ...target,
            progress: await within(soonMs, all.get(target.resultId)!),
          })),
        );
        if (begun.some(({ progress }) => progress?.waitMs !== null)) return begun;
        await conclude(input);
        return null;
      } finally {
        leave();
      }
    },

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

/** Orders targets by their positions, except that a target comes before its replies. */
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
