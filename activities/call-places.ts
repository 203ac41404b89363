// The places of a worker for calls to networks and receivers. A call holds a place until its server has
// answered. All projects share the places.
import { createKeyedCounter } from './keyed-limits.ts';

export interface CallPlaces {
  /**
   * Holds a place until the returned object is disposed of. Undefined: the project already holds its share of
   * places.
   */
  acquire(projectId: string): Disposable | undefined;
}

/** A project gets a place if it holds fewer places than are free. */
export function createCallPlaces(count: number): CallPlaces {
  const held = createKeyedCounter();
  let free = count;
  return {
    acquire(projectId) {
      if (held.get(projectId) >= free) return undefined;
      held.add(projectId);
      free--;
      return {
        [Symbol.dispose]() {
          held.remove(projectId);
          free++;
        },
      };
    },
  };
}

/**
 * While the project uses its whole share of calls, its work waits before it asks for a place again. The wait
 * is this part of the work's age, so that much work doesn't ask all the time.
 */
const crowdedShare = 0.1;
const crowdedMs = { least: 1_000, most: 30_000 };

export function crowdedWaitMs(ageMs: number): number {
  return Math.ceil(Math.min(Math.max(crowdedShare * ageMs, crowdedMs.least), crowdedMs.most));
}
