// Asks a network about a target before its next poll, because the network has news. The workflow that polls the
// target goes on with the times in the row.
import type { WakeResultInput } from '../schema/workflows.ts';
import { advanceTarget, followTarget } from './activities.ts';

export async function wakeResult({ resultId, run }: WakeResultInput): Promise<void> {
  if (run === undefined) await followTarget({ resultId });
  else await advanceTarget({ resultId, run });
}
