// The activity of `checkAccount`.
import type { CheckAccountInput } from '../../schema/workflows.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { advanceCheck, type CheckProgress } from './advance-check.ts';
import type { CheckDependencies } from './dependencies.ts';

export function createChecking(dependencies: CheckDependencies) {
  return {
    advanceCheck: (input: CheckAccountInput): Promise<CheckProgress> =>
      withHeartbeat(() => advanceCheck(dependencies, input)),
  };
}
