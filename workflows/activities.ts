// The activities as workflows call them, with their time-outs.
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/** Our own backends may be away for long: what fails is tried until it works. */
const retry = { initialInterval: '1s', maximumInterval: '15s', backoffCoefficient: 2 } as const;

export const { claimPost, concludePost } = proxyActivities<Activities>({
  startToCloseTimeout: '15s',
  retry,
});

/** A call to a network takes 30 s at most; a worker that falls silent is replaced after 10 s. */
export const { advanceTarget } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry,
});

/**
 * In the workflow's first task: a post whose networks answer at once costs Temporal that task alone.
 */
export const firstTask = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5m',
  retry,
});

/** In the workflow's first task: one write to Temporal before the requests instead of three. */
export const { deliver } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30s',
  retry,
});

export const { deliverAgain } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '10s',
  retry,
});

export const { attemptOnce } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '10s',
  retry,
});

export const { prune } = proxyActivities<Activities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '10s',
  retry,
});

/** Gives account after 5 s of work; a step of it is a transaction of 5 s at most. */
export const { advanceReplay } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  retry,
});
