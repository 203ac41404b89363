// Starts the first run of a batch as soon as Temporal has given the workflow's first task to this process.
import { LRUCache } from 'lru-cache';
import { listUnfinished, type DueDelivery } from '../../schema/database/webhooks/due-deliveries.ts';
import type { WaitingDelivery } from '../../schema/workflows.ts';
import { attemptBatch, type BatchDependencies } from './deliver-batch.ts';

/**
 * The workflow requests its first run some milliseconds later, and joins the run in progress. The relay
 * prepares each batch that it claims, then calls `begin` or `forget`.
 */
export interface EagerStart {
  /** Reads the batch while Temporal starts its workflow. */
  prepare(batchId: string): void;
  begin(batchId: string): void;
  forget(batchId: string): void;
  /**
   * Returns the run in progress, but only once. Undefined: no run is in progress, so the workflow must start
   * one.
   */
  join(batchId: string): Promise<WaitingDelivery[]> | undefined;
  /** Resolves when no run is in progress. */
  settled(): Promise<void>;
}

/** Rows that were read longer ago may have changed. */
const freshMs = 500;
/**
 * The run takes 12 s. Its workflow has 10 s more to join, because a workflow that lost its first task joins
 * late.
 */
const keptMs = 22_000;

export function createEagerStart(dependencies: BatchDependencies): EagerStart {
  const prepared = new Map<string, { rows: Promise<DueDelivery[]>; atMs: number }>();
  const runs = new LRUCache<string, Promise<WaitingDelivery[]>>({
    ttl: keptMs,
    ttlAutopurge: true,
  });

  return {
    prepare(batchId) {
      const rows = listUnfinished(dependencies.db, batchId);
      // The run reports the error. Without a run, nobody needs the rows.
      rows.catch(() => undefined);
      prepared.set(batchId, { rows, atMs: performance.now() });
    },
    begin(batchId) {
      const entry = prepared.get(batchId);
      if (!entry) return;
      prepared.delete(batchId);
      const isFresh = performance.now() - entry.atMs < freshMs;
      const rows = isFresh ? entry.rows : undefined;
      const started = attemptBatch(dependencies, { batchId }, rows);
      started.catch(() => undefined);
      runs.set(batchId, started);
    },
    forget: (batchId) => void prepared.delete(batchId),
    join(batchId) {
      const started = runs.get(batchId);
      runs.delete(batchId);
      prepared.delete(batchId);
      return started;
    },
    async settled() {
      await Promise.allSettled(runs.values());
    },
  };
}
