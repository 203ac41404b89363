// Sends heartbeats to Temporal while an activity works, so that only a dead worker is replaced.
import { heartbeat } from '@temporalio/activity';

/** After this time, an activity returns to Temporal, because a stopping worker waits for its activities. */
export const stayForMs = 5_000;

/** Much shorter than the activities' heartbeat timeout. */
const heartbeatMs = 3_000;

export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => heartbeat(), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
