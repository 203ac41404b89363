// The activity of `changeResult`.
import type { ChangeResultInput } from '../../schema/workflows.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { advanceChange, type ChangeProgress } from './advance-change.ts';
import type { ChangeDependencies } from './dependencies.ts';

export function createChanging(dependencies: ChangeDependencies) {
  return {
    advanceChange: (input: ChangeResultInput): Promise<ChangeProgress> =>
      withHeartbeat(() => advanceChange(dependencies, input)),
  };
}
