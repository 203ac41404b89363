// One run of a post: publishes every target, then concludes the post.
import { continueAsNew, sleep } from '@temporalio/workflow';
import type { PublishPostInput } from '../schema/workflows.ts';
import { beginPost, concludePost } from './activities.ts';
import { advanceTargets } from './advance-targets.ts';

export async function publishPost(input: PublishPostInput): Promise<void> {
  let targets = await beginPost(input);
  while (targets && 'waitMs' in targets) {
    await sleep(targets.waitMs);
    targets = await beginPost(input);
  }
  if (!targets) return;
  const end = await advanceTargets(targets, input.run);
  if (end === 'left') await continueAsNew<typeof publishPost>(input);
  if (end === 'ended') await concludePost(input);
}
