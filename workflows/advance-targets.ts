// Advances the targets of one run in parallel, each in activities of its own.
import { condition } from '@temporalio/workflow';
import type { BegunTarget, TargetProgress } from '../schema/workflows.ts';
import { advanceCrowded, advanceTarget } from './activities.ts';
import { isHistoryLong, noLimit, type ActivityLimit } from './activity-limit.ts';

/**
 * `concluded`: the last target has concluded the run. `left`: the history got long, so the workflow must start
 * anew.
 */
export type TargetsEnd = 'ended' | 'concluded' | 'left';

/** Limits for the targets of several runs. Default: none, for the targets of one run. */
export interface TargetLimits {
  slow: ActivityLimit;
  crowded: ActivityLimit;
}

export async function advanceTargets(
  targets: BegunTarget[],
  run: number,
  { slow, crowded }: TargetLimits = { slow: noLimit, crowded: noLimit },
): Promise<TargetsEnd> {
  let isLeft = false;
  let isConcluded = false;

  const advance = async ({ resultId, progress: begun }: BegunTarget): Promise<void> => {
    const next = ({ isCrowded }: Partial<TargetProgress> = {}) =>
      isCrowded
        ? crowded(() => advanceCrowded({ resultId, run }))
        : slow(() => advanceTarget({ resultId, run }));
    let progress = begun ?? (await next());
    while (progress && progress.waitMs !== null) {
      const mustWait = progress.waitMs > 0 || isHistoryLong();
      const mustLeave = mustWait && (await condition(isHistoryLong, progress.waitMs));
      progress = mustLeave ? undefined : await next(progress);
    }
    if (!progress) isLeft = true;
    else if (progress.isConcluded) isConcluded = true;
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
