// The activity of `followResult`.
import type { FollowResultInput } from '../../schema/workflows.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import type { FollowDependencies } from './dependencies.ts';
import { followTarget, type FollowProgress } from './follow-target.ts';

export function createFollowing(dependencies: FollowDependencies) {
  return {
    followTarget: (input: FollowResultInput): Promise<FollowProgress> =>
      withHeartbeat(() => followTarget(dependencies, input)),
  };
}
