// Rounds of work that notifications ask for: one at a time, and the more each finds, the longer the next is gathered.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Channel } from '../../schema/database/live/notifier.ts';
import type { Listener } from '../../schema/database/live/listen.ts';

export interface RoundsOptions {
  listener: Listener;
  channel: Channel;
  log: Logger;
  /**
   * How much it found; throws, or says `away`, when the next one had better wait. Busy: the last one
   * found as much as is gathered.
   */
  round: (isBusy: boolean) => Promise<number | 'away'>;
  /** Whether something may wait although a round found nothing. */
  isHeldBack?: () => boolean;
}

export interface Rounds {
  stop(): Promise<void>;
}

/** After a round: what it told of begins undisturbed … */
const quietMs = 10;
/** … and for each that it found. */
const gatherMs = 2;
const maxGatherMs = 100;
/** While Temporal or Postgres is away. */
const pauseMs = 1_000;

export function startRounds(options: RoundsOptions): Rounds {
  const { listener, channel, log, round, isHeldBack = () => false } = options;
  let isWanted = false;
  let isStopped = false;
  let isBusy = false;
  let pausedUntilMs = 0;
  let running: Promise<void> | undefined;

  const isPaused = () => performance.now() < pausedUntilMs;
  const pause = () => (pausedUntilMs = performance.now() + pauseMs);

  async function run(): Promise<void> {
    while (isWanted && !isStopped && !isPaused()) {
      isWanted = false;
      try {
        const found = await round(isBusy);
        if (found === 'away') {
          pause();
        } else if (found > 0 || isHeldBack()) {
          isWanted = true;
          const wishedMs = quietMs + found * gatherMs;
          isBusy = wishedMs >= maxGatherMs;
          await sleep(Math.min(wishedMs, maxGatherMs));
        }
      } catch (error) {
        log.warn({ err: error, channel }, 'The relay could not read what to tell.');
        pause();
      }
    }
  }

  /** The listener polls, so that a wake during a pause is made good after it. */
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
