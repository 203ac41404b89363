// Admission control: limits how many posts this worker advances at a time, with fair shares for projects.
import { createFairPlaces } from '../fair-places.ts';
import { createKeyedCounter } from '../keyed-limits.ts';

export interface Admission {
  /** Runs the work once the project gets a place. Rejects if the signal aborts before that. */
  run<T>(projectId: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Projects of which so many posts wait that new posts would wait too. */
  crowdedProjects(): string[];
}

/** A post holds its place for about 2 s at most. */
const maxAtOnce = 100;
const crowdedFrom = 200;

export function createAdmission(): Admission {
  const places = createFairPlaces(maxAtOnce);
  const waiting = createKeyedCounter();
  return {
    async run(projectId, work, signal) {
      let isWaiting = true;
      const begin = () => {
        if (isWaiting) waiting.remove(projectId);
        isWaiting = false;
      };
      waiting.add(projectId);
      try {
        return await places(
          projectId,
          () => {
            begin();
            return work();
          },
          signal,
        );
      } finally {
        begin();
      }
    },
    crowdedProjects: () => waiting.keysFrom(crowdedFrom),
  };
}
