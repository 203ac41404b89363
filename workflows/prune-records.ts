// Prunes records whose retention period has ended. Started by a schedule of Temporal.
import { continueAsNew } from '@temporalio/workflow';
import type { PruneRecordsInput } from '../schema/workflows.ts';
import { prune } from './activities.ts';

/** A low number keeps the history short. */
const maxRuns = 200;

export async function pruneRecords(input: PruneRecordsInput): Promise<void> {
  let left = input;
  for (let run = 0; run < maxRuns; run++) {
    const progress = await prune(left);
    if (progress === null) return;
    left = progress;
  }
  await continueAsNew<typeof pruneRecords>(left);
}
