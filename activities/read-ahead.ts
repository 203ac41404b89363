// Reads a claimed batch while Temporal is being told of it, so that its first round finds it read.
import type { Db } from '../schema/database/database.ts';
import { listUnfinished, type DueDelivery } from '../schema/database/due-deliveries.ts';

export interface ReadAhead {
  begin(batchId: string): void;
  /** Once, and only while it is fresh; undefined: read it yourself. */
  take(batchId: string): Promise<DueDelivery[] | undefined>;
}

/** A workflow that began here asks sooner; what is older may have changed. */
const keptMs = 500;

export function createReadAhead(db: Db): ReadAhead {
  const reading = new Map<string, Promise<DueDelivery[] | undefined>>();
  return {
    begin(batchId) {
      // The reader that comes for it meets the same fault, and tells it.
      reading.set(
        batchId,
        listUnfinished(db, batchId).catch(() => undefined),
      );
      setTimeout(() => reading.delete(batchId), keptMs).unref();
    },
    async take(batchId) {
      const rows = reading.get(batchId);
      reading.delete(batchId);
      return rows;
    },
  };
}
