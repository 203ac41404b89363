// How many sockets each project has open in this process.

export interface ConnectionLimit {
  /** Returns how to give it back; undefined: the project has as many as it may. */
  take(projectId: string): (() => void) | undefined;
}

export function createConnectionLimit(maxPerProject: number): ConnectionLimit {
  const taken = new Map<string, number>();

  function give(projectId: string): void {
    const left = taken.get(projectId)! - 1;
    if (left === 0) taken.delete(projectId);
    else taken.set(projectId, left);
  }

  return {
    take(projectId) {
      const count = taken.get(projectId) ?? 0;
      if (count >= maxPerProject) return undefined;
      taken.set(projectId, count + 1);
      let isTaken = true;
      return () => {
        if (isTaken) give(projectId);
        isTaken = false;
      };
    },
  };
}
