// Runs `start`, `api` or `worker` until a signal.
import type { Running } from './start.ts';

/** For one Ctrl-C, both the terminal and npm send a signal. */
const sameSignalMs = 500;

/** Runs until a signal. A second signal ends the process at once. */
export async function runUntilSignal({
  start,
  onStopping,
}: {
  start: (signal: AbortSignal) => Promise<Running>;
  onStopping: () => void;
}): Promise<never> {
  const stopping = new AbortController();
  const signaled = new Promise<void>((resolve) => {
    let firstAt: number | undefined;
    const stop = () => {
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > sameSignalMs) process.exit(1);
        return;
      }
      firstAt = performance.now();
      onStopping();
      stopping.abort(new Stopped());
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
  try {
    const running = await start(stopping.signal);
    await signaled;
    await running.stop();
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  process.exit(0);
}

/** Aborts a start after a signal. */
class Stopped extends Error {}
