// First attempts of batches, in the process that claimed them. Most batches need no workflow.
import { renewClaims, type ClaimedBatch } from '../../schema/database/outbox.ts';
import { attemptBatch, type BatchDependencies } from './deliver-batch.ts';

export interface FirstAttempts {
  /**
   * Attempts the batch's deliveries once. `left`: some must be attempted again, so the batch needs its
   * workflow. Rejects only if our own database fails; another relay then starts the workflow.
   */
  run(batch: ClaimedBatch): Promise<'concluded' | 'left'>;
}

/** Several renewals fit into a claim. */
const renewEveryMs = 1_000;

export function createFirstAttempts(dependencies: BatchDependencies): FirstAttempts {
  const { db } = dependencies;
  const inFlight = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function renew(): void {
    // If a renewal fails, another relay may repeat what this process has in flight.
    void renewClaims(db, [...inFlight]).catch(() => undefined);
  }

  return {
    async run({ id, batchId }) {
      inFlight.add(id);
      timer ??= setInterval(renew, renewEveryMs);
      try {
        const left = await attemptBatch(dependencies, { batchId });
        return left.length > 0 ? 'left' : 'concluded';
      } finally {
        inFlight.delete(id);
        if (inFlight.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
  };
}
