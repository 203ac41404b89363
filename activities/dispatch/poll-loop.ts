// Polls on notification. Only one poll runs at a time. The more work a poll finds, the longer the next poll
// waits.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Channel } from '../../schema/database/notifier.ts';
import type { Listener } from '../../schema/database/live/listen.ts';

interface PollLoopOptions {
  listener: Listener;
  channel: Channel;
  log: Logger;
  /**
   * Returns the number of items found. `unavailable`, like an error, delays the next poll. `isBusy`: the last
   * poll found so many items that this poll had to wait for the longest time.
   */
  poll: (isBusy: boolean) => Promise<number | 'unavailable'>;
  /** Whether work may wait although a poll found nothing. */
  hasBacklog?: () => boolean;
}

/** A service that runs beside the workers of a process. */
export interface Running {
  stop(): Promise<void>;
}

/** The wait after each poll, so that the work it started begins undisturbed. */
const quietMs = 10;
/** Added to the wait for each item that the poll found. */
const gatherMs = 2;
const maxGatherMs = 100;
/** The wait while Temporal or Postgres is unavailable. */
const pauseMs = 1_000;

export function startPollLoop(options: PollLoopOptions): Running {
  const { listener, channel, log, poll, hasBacklog = () => false } = options;
  let isWanted = false;
  let isStopped = false;
  let isBusy = false;
  let isFailing = false;
  let pausedUntilMs = 0;
  let running: Promise<void> | undefined;

  const isPaused = () => performance.now() < pausedUntilMs;
  const pause = () => (pausedUntilMs = performance.now() + pauseMs);

  async function run(): Promise<void> {
    while (isWanted && !isStopped && !isPaused()) {
      isWanted = false;
      try {
        const found = await poll(isBusy);
        if (isFailing) log.info({ channel }, 'polls succeed again');
        isFailing = false;
        if (found === 'unavailable') {
          pause();
        } else if (found > 0 || hasBacklog()) {
          isWanted = true;
          const waitMs = quietMs + found * gatherMs;
          isBusy = waitMs >= maxGatherMs;
          await sleep(Math.min(waitMs, maxGatherMs));
        }
      } catch (error) {
        // Logs only one warning for each outage, because a line for each poll would fill the log.
        log[isFailing ? 'debug' : 'warn']({ err: error, channel }, 'a poll failed');
        isFailing = true;
        pause();
      }
    }
  }

  /** The listener also wakes the loop at intervals, so a notification during a pause isn't lost. */
  function wake(): void {
    isWanted = true;
    if (running || isStopped || isPaused()) return;
    running = run().finally(() => (running = undefined));
  }

  const off = listener.on(channel, wake);
  wake();
  return {
    async stop() {
      off();
      isStopped = true;
      await running;
    },
  };
}
