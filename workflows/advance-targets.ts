// Advances the targets of one run in parallel, each in activities of its own.
import { condition, workflowInfo } from '@temporalio/workflow';
import type { BegunTarget, TargetProgress } from '../schema/workflows.ts';
import { advanceCrowded, advanceTarget } from './activities.ts';

/**
 * `concluded`: the last target has concluded the run. `left`: the history got long, so the workflow must start
 * anew.
 */
export type TargetsEnd = 'ended' | 'concluded' | 'left';

/** If a network takes hours, the history gets long. All waits then end, and the workflow starts anew. */
export const isHistoryLong = () => workflowInfo().continueAsNewSuggested;

export async function advanceTargets(targets: BegunTarget[], run: number): Promise<TargetsEnd> {
  let isLeft = false;
  let isConcluded = false;

  const advance = async ({ resultId, progress: begun }: BegunTarget): Promise<void> => {
    let progress: TargetProgress = begun ?? (await advanceTarget({ resultId, run }));
    while (progress.waitMs !== null) {
      const mustWait = progress.waitMs > 0 || isHistoryLong();
      if (mustWait && (await condition(isHistoryLong, progress.waitMs))) {
        isLeft = true;
        return;
      }
      const step = progress.isCrowded ? advanceCrowded : advanceTarget;
      progress = await step({ resultId, run });
    }
    if (progress.isConcluded) isConcluded = true;
  };

  // A reply begins when the target that it replies to has ended.
  const ends = new Map<string, Promise<void>>();
  for (const target of targets) {
    const before = target.after === undefined ? undefined : ends.get(target.after);
    ends.set(target.resultId, before ? before.then(() => advance(target)) : advance(target));
  }
  await Promise.all(ends.values());
  if (isLeft) return 'left';
  return isConcluded ? 'concluded' : 'ended';
}
