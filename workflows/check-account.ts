// Checks an account, step by step, until every step has ended.
import { continueAsNew, sleep } from '@temporalio/workflow';
import type { CheckAccountInput } from '../schema/workflows.ts';
import { advanceCheck } from './activities.ts';

/** This number makes about 1,000 events of history. */
const maxAdvances = 100;

export async function checkAccount(input: CheckAccountInput): Promise<void> {
  for (let count = 0; count < maxAdvances; count++) {
    const waitMs = await advanceCheck(input);
    if (waitMs === null) return;
    if (waitMs > 0) await sleep(waitMs);
  }
  await continueAsNew<typeof checkAccount>(input);
}
