// All activities of a worker; workflows know them by this type alone.
import { createDelivering, type DeliveringDependencies } from './delivering.ts';
import { createPublishing } from './publishing.ts';
import { createRetrying, type RetryingDependencies } from './retrying.ts';
import type { AdvanceDependencies } from './advance-target.ts';

export type ActivityDependencies = AdvanceDependencies &
  DeliveringDependencies &
  RetryingDependencies;

export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createPublishing(dependencies),
    ...createDelivering(dependencies),
    ...createRetrying(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
