// The posts that this worker publishes in their workflow's first task: few at a time, since each keeps
// a place for workflow tasks, which deliveries need too.

export interface FirstTasks {
  /**
   * Resolves as soon as there is room, with how to leave. Undefined: there will be none soon, and the
   * targets had better get activities of their own.
   */
  enter(): Promise<(() => void) | undefined>;
  /** Workflows that are started now would wait for room. */
  isCrowded(): boolean;
}

const maxAtOnce = 100;
/** Together with the others they leave a fifth of the places for workflow tasks. */
const maxWaiting = 300;
const crowdedFrom = 50;
/** While none of the others ends: a network hangs, and those that wait must not hang with it. */
const standstillMs = 300;
/** Temporal would be told before long that the task is still at it. */
const maxWaitMs = 4_000;
const lookEveryMs = 100;

interface Waiting {
  sinceMs: number;
  enter(hasRoom: boolean): void;
}

export function createFirstTasks(): FirstTasks {
  const waiting: Waiting[] = [];
  let begun = 0;
  let lastEndMs = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const nowMs = performance.now();
    const isStanding = nowMs - lastEndMs > standstillMs;
    const isOver = ({ sinceMs }: Waiting) =>
      nowMs - sinceMs > (isStanding ? standstillMs : maxWaitMs);
    while (waiting[0] && isOver(waiting[0])) waiting.shift()!.enter(false);
    timer = waiting.length > 0 ? setTimeout(look, lookEveryMs) : undefined;
  }

  function waitForRoom(): Promise<boolean> {
    if (begun < maxAtOnce) {
      begun++;
      return Promise.resolve(true);
    }
    if (waiting.length >= maxWaiting) return Promise.resolve(false);
    timer ??= setTimeout(look, lookEveryMs);
    return new Promise((enter) => waiting.push({ sinceMs: performance.now(), enter }));
  }

  function leave(): void {
    lastEndMs = performance.now();
    const next = waiting.shift();
    if (next) next.enter(true);
    else begun--;
  }

  return {
    enter: async () => ((await waitForRoom()) ? leave : undefined),
    isCrowded: () => waiting.length >= crowdedFrom,
  };
}
