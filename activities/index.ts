// All activities of a worker; workflows know them by this type alone.
import { createDelivering, type DeliveringDependencies } from './delivering.ts';
import { createPruning, type PruningDependencies } from './pruning.ts';
import { createPublishing, type PublishingDependencies } from './publishing.ts';
import { createReplaying } from './replaying.ts';
import { createRetrying, type RetryingDependencies } from './retrying.ts';

export type ActivityDependencies = PublishingDependencies &
  DeliveringDependencies &
  RetryingDependencies &
  PruningDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createPublishing(dependencies),
    ...createDelivering(dependencies),
    ...createRetrying(dependencies),
    ...createReplaying(dependencies),
    ...createPruning(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
