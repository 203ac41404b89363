// Work that runs one at a time, in turns between projects, so that one project's queue delays no other's.

/** Runs the work when it is the project's turn. */
export type InTurn = <T>(projectId: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  /** The project that comes next is the first. */
  const waiting = new Map<string, (() => Promise<unknown>)[]>();
  let isRunning = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let next = take(); next; next = take()) await next().catch(() => undefined);
    isRunning = false;
  }

  function take(): (() => Promise<unknown>) | undefined {
    for (const [projectId, queue] of waiting) {
      const work = queue.shift();
      waiting.delete(projectId);
      if (queue.length > 0) waiting.set(projectId, queue);
      return work;
    }
    return undefined;
  }

  return (projectId, work) =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(projectId) ?? [];
      waiting.set(projectId, queue);
      queue.push(() => work().then(resolve, reject));
      void run();
    });
}
