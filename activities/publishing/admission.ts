// Admission control: limits how many posts this worker publishes inside workflow tasks at a time.
// Deliveries need slots for workflow tasks too.

export interface Admission {
  /**
   * Resolves with a function that frees the slot. Undefined: no slot will be free soon, so separate
   * activities should advance the targets.
   */
  enter(): Promise<(() => void) | undefined>;
  /** A workflow that starts now would wait for a slot. */
  isCrowded(): boolean;
}

const maxAtOnce = 100;
/** `maxWaiting` and `maxAtOnce` together leave a fifth of the slots for workflow tasks. */
const maxWaiting = 300;
const crowdedFrom = 50;
/** If no post ends, a waiting post gives up after this time, because the networks of running posts may hang. */
const standstillMs = 300;
/** A longer wait would cost a heartbeat of the workflow task. */
const maxWaitMs = 4_000;
const checkEveryMs = 100;

interface Waiting {
  sinceMs: number;
  enter(hasRoom: boolean): void;
}

export function createAdmission(): Admission {
  const waiting: Waiting[] = [];
  let running = 0;
  let lastEndMs = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  function dismissLate(): void {
    const nowMs = performance.now();
    const isStanding = nowMs - lastEndMs > standstillMs;
    const isLate = ({ sinceMs }: Waiting) =>
      nowMs - sinceMs > (isStanding ? standstillMs : maxWaitMs);
    while (waiting[0] && isLate(waiting[0])) waiting.shift()!.enter(false);
    timer = waiting.length > 0 ? setTimeout(dismissLate, checkEveryMs) : undefined;
  }

  function waitForRoom(): Promise<boolean> {
    if (running < maxAtOnce) {
      running++;
      return Promise.resolve(true);
    }
    if (waiting.length >= maxWaiting) return Promise.resolve(false);
    timer ??= setTimeout(dismissLate, checkEveryMs);
    return new Promise((enter) => waiting.push({ sinceMs: performance.now(), enter }));
  }

  function leave(): void {
    lastEndMs = performance.now();
    const next = waiting.shift();
    if (next) next.enter(true);
    else running--;
  }

  return {
    enter: async () => ((await waitForRoom()) ? leave : undefined),
    isCrowded: () => waiting.length >= crowdedFrom,
  };
}
