// One run of a post: publishes every target, in parallel where possible, then concludes the post.
import { condition, continueAsNew, sleep, workflowInfo } from '@temporalio/workflow';
import type { BegunTarget, PublishPostInput, TargetProgress } from '../schema/workflows.ts';
import { advanceCrowded, advanceTarget, beginPost, concludePost } from './activities.ts';

export async function publishPost(input: PublishPostInput): Promise<void> {
  const { run } = input;
  let targets = await beginPost(input);
  while (targets && 'waitMs' in targets) {
    await sleep(targets.waitMs);
    targets = await beginPost(input);
  }
  if (!targets) return;
  let isHistoryLong = false;
  let isConcluded = false;

  const advance = async ({ resultId, progress: begun }: BegunTarget): Promise<void> => {
    let progress: TargetProgress = begun ?? (await advanceTarget({ resultId, run }));
    while (progress.waitMs !== null) {
      // If a network takes hours, the history gets full. All targets then stop, and the workflow starts anew.
      if (workflowInfo().continueAsNewSuggested) isHistoryLong = true;
      const mustWait = progress.waitMs > 0 || isHistoryLong;
      if (mustWait && (await condition(() => isHistoryLong, progress.waitMs))) return;
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
  if (isHistoryLong) await continueAsNew<typeof publishPost>(input);
  if (!isConcluded) await concludePost(input);
}
