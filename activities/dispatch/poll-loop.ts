// Polls on notification. Only one poll runs at a time, and each poll says how long the loop then waits.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Channel } from '../../schema/database/notifier.ts';
import type { Listener } from '../../schema/database/live/listen.ts';

interface PollLoopOptions {
  listener: Listener;
  channel: Channel;
  log: Logger;
  /** `unavailable`, like an error, delays the next poll. */
  poll: () => Promise<Polled | 'unavailable'>;
}

export interface Polled {
  /** More may wait. Otherwise the loop waits for a notification. */
  isMore: boolean;
  /** The least time until the next poll. */
  waitMs: number;
}

/** A service that runs beside the workers of a process. */
export interface Running {
  stop(): Promise<void>;
}

/** The wait while Temporal or Postgres is unavailable. */
const pauseMs = 1_000;

export function startPollLoop(options: PollLoopOptions): Running {
  const { listener, channel, log, poll } = options;
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
        const polled = await poll();
        if (isFailing) log.info({ channel }, 'polls succeed again');
        isFailing = false;
        if (polled === 'unavailable') {
          pause();
        } else {
          await sleep(polled.waitMs);
          isWanted ||= polled.isMore;
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
