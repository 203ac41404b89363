// The first attempts of a batch, in the process that claimed it. Most batches then need no workflow.
import { renewClaims, type ClaimedBatch } from '../../schema/database/dispatch/claims.ts';
import { attemptBatch, type BatchDependencies } from './deliver-batch.ts';

export interface FirstAttempts {
  /**
   * Attempts each delivery of the batch once. `left`: some deliveries need another attempt, so the batch needs
   * its workflow. Rejects only if our own database fails. Another relay then starts the workflow.
   */
  run(batch: ClaimedBatch): Promise<'concluded' | 'left'>;
}

/** A claim lasts for several renewals. */
const renewEveryMs = 1_000;

export function createFirstAttempts(dependencies: BatchDependencies): FirstAttempts {
  const { db } = dependencies;
  const inFlight = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function renew(): void {
    // After failed renewals, another relay may repeat the requests that this process has in flight.
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
