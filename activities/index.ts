// All activities of a worker. Workflows import only their type.
import type { ChangeDependencies } from './changes/dependencies.ts';
import { createChanging } from './changes/index.ts';
import type { FollowDependencies } from './follow-ups/dependencies.ts';
import { createFollowing } from './follow-ups/index.ts';
import type { CheckDependencies } from './checks/dependencies.ts';
import { createChecking } from './checks/index.ts';
import { createDelivering, type DeliveringDependencies } from './delivering/index.ts';
import { createFetching, type FetchingDependencies } from './media/fetch-media.ts';
import { createPruning, type PruningDependencies } from './retention/prune.ts';
import { createPublishing, type PublishingDependencies } from './publishing/index.ts';
import { createRefreshing } from './logins/refresh-due.ts';
import { createReplaying } from './delivering/replay.ts';
import { createRetrying, type RetryingDependencies } from './delivering/manual-retry.ts';

export type ActivityDependencies = PublishingDependencies &
  DeliveringDependencies &
  RetryingDependencies &
  PruningDependencies &
  FetchingDependencies &
  CheckDependencies &
  ChangeDependencies &
  FollowDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createPublishing(dependencies),
    ...createDelivering(dependencies),
    ...createRetrying(dependencies),
    ...createReplaying(dependencies),
    ...createPruning(dependencies),
    ...createRefreshing(dependencies),
    ...createFetching(dependencies),
    ...createChecking(dependencies),
    ...createChanging(dependencies),
    ...createFollowing(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
