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
