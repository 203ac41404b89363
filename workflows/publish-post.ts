// One run of a post: every target on its own way, all at once, then the outcome.
import { condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { PublishPostInput } from '../schema/workflows.ts';
import { advanceTarget, claimPost, concludePost } from './activities.ts';

export async function publishPost(input: PublishPostInput): Promise<void> {
  const resultIds = await claimPost(input);
  if (!resultIds) return;
  let isHistoryLong = false;
  const publishTarget = async (resultId: string) => {
    for (;;) {
      const { waitMs } = await advanceTarget({ resultId, run: input.run });
      if (waitMs === null) return;
      // A network that takes hours to finish fills the history: all targets then start it anew.
      if (workflowInfo().continueAsNewSuggested) isHistoryLong = true;
      if (await condition(() => isHistoryLong, waitMs)) return;
    }
  };
  await Promise.all(resultIds.map(publishTarget));
  if (isHistoryLong) await continueAsNew<typeof publishPost>(input);
  await concludePost(input);
}
