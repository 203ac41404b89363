// The activities with their timeouts. All of them retry until they succeed, because our own backends may be
// down for long.
import type { Duration } from '@temporalio/common';
import {
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { crowdedQueueOf } from '../schema/workflows.ts';

const retry = { initialInterval: '1s', maximumInterval: '15s', backoffCoefficient: 2 } as const;
/** Without a heartbeat for 10 s, Temporal gives the activity to another worker. */
const heartbeatTimeout = '10s';

const ofAtMost = (startToCloseTimeout: Duration, options: ActivityOptions = {}) =>
  proxyActivities<Activities>({ startToCloseTimeout, retry, ...options });

export const { concludePost, warnOfExpiry } = ofAtMost('15s');

/** One call to a network takes 30 s at most. */
export const { advanceTarget } = ofAtMost('5m', { heartbeatTimeout });

/** Returns within 10 s. A call that takes longer continues, and another activity waits for it. */
export const { advancePosts } = ofAtMost('1m', { heartbeatTimeout });

/** Waits in Temporal until a slot for crowded projects is free. Such a wait costs nothing. */
export const advanceCrowded: Activities['advanceCrowded'] = (input) => {
  const taskQueue = crowdedQueueOf(workflowInfo().taskQueue);
  return ofAtMost('5m', { heartbeatTimeout, taskQueue }).advanceCrowded(input);
};

/** Runs in the workflow's first task. If the networks answer at once, the post needs no other task. */
export const { beginPost } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5m',
  retry,
});

/**
 * Runs in the workflow's first task, which saves Temporal two writes. It usually only reads when the next
 * attempts are due, because the relay's process has made the first attempts.
 */
export const { deliver } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30s',
  retry,
});

export const { deliverAgain, attemptOnce } = ofAtMost('30s', { heartbeatTimeout });

export const { prune } = ofAtMost('1m', { heartbeatTimeout });

/**
 * Waiting for a lost lease takes 130 s, and two calls to a network take 100 s. The write of new credentials
 * continues after the timeout.
 */
export const { refreshDue } = ofAtMost('5m', { heartbeatTimeout });

/** Large media from slow servers take a long time. The activity has its own limit. */
export const { fetchBytes } = ofAtMost('7d', { heartbeatTimeout });

/** Returns after 5 s of work. Each step is a transaction of at most 5 s. */
export const { advanceReplay } = ofAtMost('30s');

/**
 * Returns after 5 s and one call to a network. The call may refresh its login, so the timeout is the same as
 * for `refreshDue`.
 */
export const { advanceChange, advanceCheck, followTarget } = ofAtMost('5m', { heartbeatTimeout });
