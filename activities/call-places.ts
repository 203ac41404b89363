// The places of a worker for calls to networks and receivers. A call holds the slot of an activity until its
// server has answered, and all projects share the slots.
import { createKeyedCounter } from './keyed-limits.ts';

export interface CallPlaces {
  /** Holds the place until it is disposed of. Undefined: the project already holds its share of places. */
  acquire(projectId: string): Disposable | undefined;
}

/** A project gets a place if it holds fewer than are free. */
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
