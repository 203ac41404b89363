// Finds when a worker stood still, by what it printed: on a busy machine, no fault is needed for that.
import type { Loss } from './records.ts';

/**
 * As long as a worker owns a batch of deliveries. Temporal's SDK warns of each task that took longer, and of attempts
 * that ended after Temporal had given their task to another worker.
 */
const stalledMs = 5_000;
const warning =
  /^\{.*"time":(\d+).*(?:Workflow task duration exceeded 5 seconds|Tried to complete untracked local activity)/gm;

/** Another process repeats what a worker had in flight when it stood still. */
export function findStalls(outputs: readonly string[]): Loss[] {
  const times = outputs
    .flatMap((output) => [...output.matchAll(warning)].map(([, time]) => Number(time)))
    .toSorted((a, b) => a - b);
  const stalls: Loss[] = [];
  for (const time of times) {
    const last = stalls.at(-1);
    if (last && time - stalledMs <= last.to.getTime()) last.to = new Date(time);
    else {
      const [from, to] = [new Date(time - stalledMs), new Date(time)];
      stalls.push({ name: `stall ${stalls.length + 1} of a busy worker`, from, to });
    }
  }
  return stalls;
}
