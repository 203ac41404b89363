// The only way in which tests wait for a time to pass. All other waits are for a condition.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a fixed time. Only for tests about time itself. `_why`: what takes that time, or has to outlast
 * it.
 */
export async function elapse(ms: number, _why: string): Promise<void> {
  await sleep(ms);
}
