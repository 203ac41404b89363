// Asks a network about a published target until the network has finished.
import { continueAsNew, sleep } from '@temporalio/workflow';
import type { FollowResultInput } from '../schema/workflows.ts';
import { followTarget } from './activities.ts';

/** This number makes about 1,000 events of history. */
const maxCalls = 100;

export async function followResult(input: FollowResultInput): Promise<void> {
  for (let count = 0; count < maxCalls; count++) {
    const waitMs = await followTarget(input);
    if (waitMs === null) return;
    await sleep(waitMs);
  }
  await continueAsNew<typeof followResult>(input);
}
