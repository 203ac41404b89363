// Polls on notification. Only one poll runs at a time, and the loop waits after each poll that found work.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Channel } from '../../schema/database/notifier.ts';
import type { Listener } from '../../schema/database/live/listen.ts';

interface PollLoopOptions {
  listener: Listener;
  channel: Channel;
  log: Logger;
  /** Returns the number of items found. `unavailable`, like an error, delays the next poll. */
  poll: () => Promise<number | 'unavailable'>;
  /** How long the loop waits after a poll that found this many items. */
  waitMs: (found: number) => number;
  /** Whether work may wait although a poll found nothing. */
  hasBacklog?: () => boolean;
}

/** A service that runs beside the workers of a process. */
export interface Running {
  stop(): Promise<void>;
}

/** The wait while Temporal or Postgres is unavailable. */
const pauseMs = 1_000;

export function startPollLoop(options: PollLoopOptions): Running {
  const { listener, channel, log, poll, waitMs, hasBacklog = () => false } = options;
  let isWanted = false;
  let isStopped = false;
  let isFailing = false;
  let pausedUntilMs = 0;
  let running: Promise<void> | undefined;

  const isPaused = () => performance.now() < pausedUntilMs;
  const pause = () => (pausedUntilMs = performance.now() + pauseMs);

  async function run(): Promise<void> {
    while (isWanted && !isStopped && !isPaused()) {
      isWanted = false;
      try {
        const found = await poll();
        if (isFailing) log.info({ channel }, 'polls succeed again');
        isFailing = false;
        if (found === 'unavailable') {
          pause();
        } else if (found > 0 || hasBacklog()) {
          isWanted = true;
          await sleep(waitMs(found));
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
