// One run of a post: every target on its own way, all at once, then the outcome.
import { condition, continueAsNew, sleep, workflowInfo } from '@temporalio/workflow';
import type {
  BegunTarget,
  ClaimedTarget,
  PublishPostInput,
  TargetProgress,
} from '../schema/workflows.ts';
import { advanceTarget, claimPost, concludePost, firstTask } from './activities.ts';

export async function publishPost(input: PublishPostInput): Promise<void> {
  const { run, isShort = false } = input;
  const begin = () => (isShort ? firstTask.beginPost(input) : claimPost(input));
  let targets = await begin();
  while (targets && 'waitMs' in targets) {
    await sleep(targets.waitMs);
    targets = await begin();
  }
  if (!targets) return;
  let isHistoryLong = false;
  let isConcluded = false;

  const advance = async ({ resultId, progress: begun }: BegunTarget): Promise<void> => {
    let progress: TargetProgress = begun ?? (await advanceTarget({ resultId, run }));
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
  for (const target of targets.map(toClaimed)) {
    const before = target.after === undefined ? undefined : ways.get(target.after);
    ways.set(target.resultId, before ? before.then(() => advance(target)) : advance(target));
  }
  await Promise.all(ways.values());
  if (isHistoryLong) await continueAsNew<typeof publishPost>(input);
  if (!isConcluded) await concludePost(input);
}

/** Histories of the first releases have ids alone. */
const toClaimed = (target: ClaimedTarget | string): BegunTarget =>
  typeof target === 'string' ? { resultId: target } : target;
