// The first attempts of a batch, in the process that claimed it. Most batches then need no workflow.
import { renewClaims, type ClaimedBatch } from '../../schema/database/dispatch/claims.ts';
import { createKeyedCounter } from '../keyed-limits.ts';
import { attemptBatch, type BatchDependencies } from './deliver-batch.ts';

export interface FirstAttempts {
  /**
   * Attempts each delivery of the batch once. `left`: some deliveries need another attempt, so the batch needs
   * its workflow. Rejects only if our own database fails. Another relay then starts the workflow.
   */
  run(batch: ClaimedBatch): Promise<'concluded' | 'left'>;
  /** Projects that already have their share of this process, so that their deliveries must not be claimed now. */
  fullProjects(): string[];
}

/** A claim lasts for several renewals. */
const renewEveryMs = 1_000;
/** Attempts end within 12 s, so a batch that takes this long hangs. Its workflow then attempts the rest. */
const renewForMs = 30_000;
/** A project with this many first attempts in flight gets no more, because they delay those of other projects. */
const fullFrom = 50;

export function createFirstAttempts(dependencies: BatchDependencies): FirstAttempts {
  const { db } = dependencies;
  /** The start time of each batch, by the ID of its outbox row. */
  const inFlight = new Map<string, number>();
  const ofProjects = createKeyedCounter();
  let timer: NodeJS.Timeout | undefined;

  function renew(): void {
    // After failed renewals, another relay may repeat the requests that this process has in flight.
    const longAgoMs = performance.now() - renewForMs;
    const ids = [...inFlight].filter(([, startedMs]) => startedMs > longAgoMs).map(([id]) => id);
    void renewClaims(db, ids).catch(() => undefined);
  }

  return {
    async run({ id, batchId }) {
      inFlight.set(id, performance.now());
      timer ??= setInterval(renew, renewEveryMs);
      try {
        const left = await attemptBatch(dependencies, { batchId }, ofProjects);
        return left.length > 0 ? 'left' : 'concluded';
      } finally {
        inFlight.delete(id);
        if (inFlight.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
    fullProjects: () => ofProjects.keysFrom(fullFrom),
  };
}
