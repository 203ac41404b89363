// One run of a post: every target on its own way, all at once, then the outcome.
import { condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { ClaimedTarget, PublishPostInput, TargetProgress } from '../schema/workflows.ts';
import { advanceTarget, claimPost, concludePost, firstTask } from './activities.ts';

export async function publishPost(input: PublishPostInput): Promise<void> {
  const { run, isShort = false } = input;
  const targets = await (isShort ? firstTask.claimPost(input) : claimPost(input));
  if (!targets) return;
  let isHistoryLong = false;
  let isConcluded = false;

  const advance = async (resultId: string): Promise<void> => {
    let progress: TargetProgress = isShort
      ? await firstTask.beginTarget({ resultId, run })
      : await advanceTarget({ resultId, run });
    while (progress.waitMs !== null) {
      // A network that takes hours to finish fills the history: all targets then start it anew.
      if (workflowInfo().continueAsNewSuggested) isHistoryLong = true;
      const mustWait = progress.waitMs > 0 || isHistoryLong;
      if (mustWait && (await condition(() => isHistoryLong, progress.waitMs))) return;
      progress = await advanceTarget({ resultId, run });
    }
    if (progress.isConcluded) isConcluded = true;
  };

  // What answers another target's post begins when that has ended.
  const ways = new Map<string, Promise<void>>();
  for (const target of targets) {
    const { resultId, after } = toClaimed(target);
    const before = after === undefined ? undefined : ways.get(after);
    ways.set(resultId, before ? before.then(() => advance(resultId)) : advance(resultId));
  }
  await Promise.all(ways.values());
  if (isHistoryLong) await continueAsNew<typeof publishPost>(input);
  if (!isConcluded) await concludePost(input);
}

/** Histories of the first releases have ids alone. */
const toClaimed = (target: ClaimedTarget | string): ClaimedTarget =>
  typeof target === 'string' ? { resultId: target } : target;
