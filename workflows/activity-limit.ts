// Limits how many activities of a workflow are pending, because Temporal allows only 2,000.
import { condition, workflowInfo } from '@temporalio/workflow';

/** Starts the activity once there is room. Undefined: the history got long first. */
export type ActivityLimit = <T>(start: () => Promise<T>) => Promise<T | undefined>;

/** If a network takes hours, the history gets long. All waits then end, and the workflow starts anew. */
export const isHistoryLong = () => workflowInfo().continueAsNewSuggested;

export const noLimit: ActivityLimit = (start) => start();

export function createActivityLimit(max: number): ActivityLimit {
  let pending = 0;
  return async (start) => {
    // Several waits may end together, so each checks again.
    while (pending >= max) {
      if (isHistoryLong()) return undefined;
      await condition(() => pending < max || isHistoryLong());
    }
    pending++;
    try {
      return await start();
    } finally {
      pending--;
    }
  };
}
