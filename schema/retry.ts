// Every schedule of second tries, in one table. Workflows import it: no zod, no node: here.

/** Waits between a delivery's attempts, each counted from the end of the attempt before. */
export const defaultDeliveryDelaysMs: readonly number[] = [30_000, 120_000, 600_000];

/** A target's clock: how long each kind of trouble is waited out before the target ends. */
export interface TargetClock {
  /** Waits after refusals that surely came before acceptance; then `failed: unavailable`. */
  readonly unavailableDelaysMs: readonly number[];
  /** How long rate limits are waited out in all; then `failed: rate_limited`. */
  readonly rateLimitedForMs: number;
  /** The wait where a rate limit names none. */
  readonly rateLimitedDelayMs: number;
  readonly confirmFirstMs: number;
  readonly confirmMaxMs: number;
  readonly confirmForMs: number;
  /** Waits before each look of reconcile; after the last one, `outcome_unknown`. */
  readonly reconcileDelaysMs: readonly number[];
  /** How often a process says that it still makes a call. */
  readonly heartbeatMs: number;
  /** A process that has not said so for this long is dead, and its call may be taken over. */
  readonly lostAfterMs: number;
}

export const defaultTargetClock: TargetClock = {
  unavailableDelaysMs: [1_000, 5_000, 30_000, 120_000, 600_000],
  rateLimitedForMs: 6 * 3_600_000,
  rateLimitedDelayMs: 30_000,
  confirmFirstMs: 1_000,
  confirmMaxMs: 60_000,
  confirmForMs: 24 * 3_600_000,
  reconcileDelaysMs: [0, 5_000, 30_000, 120_000],
  heartbeatMs: 2_000,
  lostAfterMs: 6_000,
};

/** A query without an answer by then fails. Above the 5 s for which Postgres lets a transaction run. */
export const defaultQueryTimeoutMs = 8_000;
