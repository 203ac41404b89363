// Every default retry schedule. Workflows import this file, so it imports neither zod nor `node:` modules.

/** Waits between a delivery's attempts. Each starts at the end of the previous attempt. */
export const defaultDeliveryDelaysMs: readonly number[] = [30_000, 120_000, 600_000];

/** How long a target waits for each kind of failure to pass before it fails. */
export interface TargetClock {
  /**
   * Waits after failures that certainly came before the network accepted the post. Then: `failed: unavailable`.
   * While the network doesn't answer the last check for a lost commit, the check is repeated after the same waits.
   */
  readonly unavailableDelaysMs: readonly number[];
  /** Total wait for rate limits. Then: `failed: rate_limited`. */
  readonly rateLimitedForMs: number;
  /** Wait for the quota of an account or an app if the network names no time. */
  readonly quotaDelayMs: number;
  /** Total wait for the quota of an account or an app. Then: `failed: quota_exhausted`. */
  readonly quotaForMs: number;
  /** Total duration of the steps of a prepare, and of the waits between them. Then: `failed: unavailable`. */
  readonly prepareForMs: number;
  /** Wait for a rate limit if the network names no time. */
  readonly rateLimitedDelayMs: number;
  /**
   * Shortest wait after the first refusal in a row. The wait doubles with each further refusal, up to
   * `rateLimitedMaxMs`.
   */
  readonly rateLimitedFirstMs: number;
  readonly rateLimitedMaxMs: number;
  readonly confirmFirstMs: number;
  readonly confirmMaxMs: number;
  readonly confirmForMs: number;
  /** Waits before each check of reconcile. After the last check, the target fails with `outcome_unknown`. */
  readonly reconcileDelaysMs: readonly number[];
  /** How often a process reports that its call is in progress. */
  readonly heartbeatMs: number;
  /** After this long without a report, another process may take the call over. */
  readonly lostAfterMs: number;
}

export const defaultTargetClock: TargetClock = {
  unavailableDelaysMs: [1_000, 5_000, 30_000, 120_000, 600_000],
  rateLimitedForMs: 6 * 3_600_000,
  quotaDelayMs: 15 * 60_000,
  quotaForMs: 48 * 3_600_000,
  prepareForMs: 3_600_000,
  rateLimitedDelayMs: 30_000,
  rateLimitedFirstMs: 1_000,
  rateLimitedMaxMs: 60_000,
  confirmFirstMs: 1_000,
  confirmMaxMs: 60_000,
  confirmForMs: 24 * 3_600_000,
  reconcileDelaysMs: [0, 5_000, 30_000, 120_000],
  heartbeatMs: 2_000,
  lostAfterMs: 6_000,
};

/** Wait after a process stalled before a call and sent nothing. */
export const stalledDelayMs = 1_000;

/** Waits after refreshes of a login that failed for now. The last one repeats. */
const refreshDelaysMs: readonly number[] = [300_000, 600_000, 1_200_000, 3_600_000];

/** Wait before a login is refreshed again. `failures`: refreshes in a row that failed. */
export function nextRefreshDelay(failures: number): number {
  return refreshDelaysMs[Math.min(failures, refreshDelaysMs.length) - 1]!;
}

/** Waits after the first failed fetches of media. */
export const fetchDelaysMs: readonly number[] = [5_000, 30_000, 120_000, 600_000];
/** Wait after these fetches, while every post with the media is due later. */
const laterFetchMs = 3_600_000;
/** The last fetch comes this long before the first post with the media is due. */
const lastFetchAheadMs = 600_000;
/** If less than this is left until the last fetch, media are not fetched again. */
const leastFetchMs = 60_000;

/**
 * Wait before media are fetched again. Null: never. `failures`: fetches that failed. `dueInMs`: time until
 * the first post with the media is due; null: no post waits for the media.
 */
export function nextFetchDelay(failures: number, dueInMs: number | null): number | null {
  const delayMs = fetchDelaysMs[failures - 1];
  if (delayMs !== undefined) return delayMs;
  const lastInMs = (dueInMs ?? 0) - lastFetchAheadMs;
  return lastInMs < leastFetchMs ? null : Math.min(lastInMs, laterFetchMs);
}

/**
 * A query without an answer fails after this time, which is more than the 5 s that Postgres gives a
 * transaction.
 */
export const defaultQueryTimeoutMs = 8_000;
