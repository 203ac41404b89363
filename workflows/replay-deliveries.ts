// A replay: reopens deliveries as fast as they are attempted, then waits until all have concluded.
import { continueAsNew, sleep } from '@temporalio/workflow';
import type { ReplayDeliveriesInput } from '../schema/workflows.ts';
import { advanceReplay } from './activities.ts';

const firstWaitMs = 1_000;
const maxWaitMs = 15_000;
/** This number makes about 2,000 events of history. */
const maxPolls = 200;

export async function replayDeliveries(input: ReplayDeliveriesInput): Promise<void> {
  let waitMs = firstWaitMs;
  for (let poll = 0; poll < maxPolls; poll++) {
    const state = await advanceReplay(input);
    if (state === 'concluded') return;
    await sleep(waitMs);
    waitMs = state === 'reopening' ? firstWaitMs : Math.min(waitMs * 1.5, maxWaitMs);
  }
  await continueAsNew<typeof replayDeliveries>(input);
}
