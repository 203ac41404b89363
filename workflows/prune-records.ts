// Prunes what has been kept long enough, until nothing of it is left. Temporal's schedule starts it.
import { continueAsNew } from '@temporalio/workflow';
import type { PruneRecordsInput } from '../schema/workflows.ts';
import { prune } from './activities.ts';

/** Few enough for a short history. */
const maxRounds = 200;

export async function pruneRecords(input: PruneRecordsInput): Promise<void> {
  let left = input;
  for (let round = 0; round < maxRounds; round++) {
    const progress = await prune(left);
    if (progress === null) return;
    left = progress;
  }
  await continueAsNew<typeof pruneRecords>(left);
}
