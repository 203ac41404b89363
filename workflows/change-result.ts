// Edits or removes a published target, until the change has ended.
import { continueAsNew, sleep } from '@temporalio/workflow';
import type { ChangeResultInput } from '../schema/workflows.ts';
import { advanceChange } from './activities.ts';

/** This number makes about 1,000 events of history. */
const maxAdvances = 100;

export async function changeResult(input: ChangeResultInput): Promise<void> {
  for (let count = 0; count < maxAdvances; count++) {
    const waitMs = await advanceChange(input);
    if (waitMs === null) return;
    if (waitMs > 0) await sleep(waitMs);
  }
  await continueAsNew<typeof changeResult>(input);
}
