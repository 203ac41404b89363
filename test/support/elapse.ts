// The only way in which tests wait for a time to pass. All other waits are for a condition.
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a fixed time. Only for tests about time itself. `_why`: why the test waits, for its readers. */
export async function elapse(ms: number, _why: string): Promise<void> {
  await sleep(ms);
}
