// The first round of a batch, begun as soon as Temporal has handed the workflow's first task to this process.
import { listUnfinished, type DueDelivery } from '../../schema/database/webhooks/due-deliveries.ts';
import type { WaitingDelivery } from '../../schema/workflows.ts';
import { attemptRound, type RoundDependencies } from './deliver-batch.ts';

/**
 * The workflow is ready to ask for the round some milliseconds after that, and what it asks for is under
 * way then. The relay prepares a batch that it claimed, then calls `begin` or `forget`.
 */
export interface HeadStart {
  /** Reads the batch while Temporal is told of it. */
  prepare(batchId: string): void;
  begin(batchId: string): void;
  forget(batchId: string): void;
  /** The round under way here, once. Undefined: the workflow must begin it, and nobody else does. */
  join(batchId: string): Promise<WaitingDelivery[]> | undefined;
  /** Resolves when no round is under way. */
  settled(): Promise<void>;
}

/** What was read longer ago than that may have changed. */
const freshMs = 500;
/** A workflow that has not come for its round by then has lost its first task. */
const keptMs = 10_000;

export function createHeadStart(dependencies: RoundDependencies): HeadStart {
  const prepared = new Map<string, { rows: Promise<DueDelivery[]>; atMs: number }>();
  const rounds = new Map<string, Promise<WaitingDelivery[]>>();

  async function run(batchId: string, rows: Promise<DueDelivery[]>, atMs: number) {
    const isFresh = performance.now() - atMs < freshMs;
    return attemptRound(dependencies, { batchId }, isFresh ? await rows : undefined);
  }

  return {
    prepare(batchId) {
      const rows = listUnfinished(dependencies.db, batchId);
      // A fault is told by the round; who never begins has no use for it.
      rows.catch(() => undefined);
      prepared.set(batchId, { rows, atMs: performance.now() });
    },
    begin(batchId) {
      const entry = prepared.get(batchId);
      if (!entry) return;
      prepared.delete(batchId);
      const round = run(batchId, entry.rows, entry.atMs);
      rounds.set(batchId, round);
      const forget = () => setTimeout(() => rounds.delete(batchId), keptMs).unref();
      round.then(forget, forget);
    },
    forget: (batchId) => void prepared.delete(batchId),
    join(batchId) {
      const round = rounds.get(batchId);
      rounds.delete(batchId);
      prepared.delete(batchId);
      return round;
    },
    async settled() {
      await Promise.allSettled(rounds.values());
    },
  };
}
