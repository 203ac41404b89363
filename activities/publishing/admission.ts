// Admission control: limits how many posts this worker advances at a time, with fair shares for projects.
import { createFairPlaces } from '../fair-places.ts';

export interface Admission {
  /** Runs the work once the project gets a place. Rejects if the signal aborts before that. */
  run<T>(projectId: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Whether so many posts wait that new posts would wait too. */
  isCrowded(): boolean;
}

/** A post holds its place for about 2 s at most. */
const maxAtOnce = 100;
const crowdedFrom = 200;

export function createAdmission(): Admission {
  const places = createFairPlaces(maxAtOnce);
  let waiting = 0;
  return {
    async run(projectId, work, signal) {
      let isWaiting = true;
      const begin = () => {
        if (isWaiting) waiting--;
        isWaiting = false;
      };
      waiting++;
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
    isCrowded: () => waiting >= crowdedFrom,
  };
}
