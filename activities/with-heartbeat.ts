// Work that tells Temporal that it lives, so that only a dead worker is replaced.
import { heartbeat } from '@temporalio/activity';

/** Shorter than the activities' heartbeat time-out by far. */
const heartbeatMs = 3_000;

export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => heartbeat(), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
