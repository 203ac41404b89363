// The refreshes of this process. New credentials exist only here until they are written, so their writes are
// repeated for as long as the process lives, and a stopping process waits for them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { describeError } from '../activity-failures.ts';
import { within } from '../within.ts';

const writeAgainMs = 1_000;

export interface PendingRefreshes {
  /** A refresh, from its call to the network until its credentials are written. */
  track<T>(grantId: string, refresh: () => Promise<T>): Promise<T>;
  /** Repeats the write until the database accepts it. Throws once `settle` is over. */
  write<T>(grantId: string, once: () => Promise<T>): Promise<T>;
  /** Waits for the refreshes of a process that stops, and logs those that don't end in time. */
  settle(timeoutMs: number): Promise<void>;
}

export function createPendingRefreshes(parent: Logger): PendingRefreshes {
  const log = parent.child({ component: 'logins' });
  const pending = new Map<Promise<unknown>, string>();
  let isOver = false;

  async function allEnded(): Promise<void> {
    while (pending.size > 0 && !isOver) await Promise.allSettled(pending.keys());
  }

  return {
    async track(grantId, refresh) {
      const running = refresh();
      pending.set(running, grantId);
      try {
        return await running;
      } finally {
        pending.delete(running);
      }
    },

    async write(grant_id, once) {
      for (let isFirst = true; ; isFirst = false) {
        try {
          return await once();
        } catch (thrown) {
          if (isOver) throw thrown;
          const error = describeError(thrown);
          if (isFirst) log.error({ grant_id, error }, 'new credentials are not written yet');
          await sleep(writeAgainMs);
        }
      }
    },

    async settle(timeoutMs) {
      await within(Math.max(timeoutMs, 0), allEnded());
      isOver = true;
      for (const grant_id of pending.values()) {
        log.error({ grant_id }, 'stopped before the new credentials of a login were written');
      }
    },
  };
}
