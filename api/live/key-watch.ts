// Ends streams and sockets when their key is revoked or expires.
import type { Logger } from 'pino';
import { listUsableKeyIds } from '../../schema/database/api-keys.ts';
import type { Db } from '../../schema/database/tables.ts';

export interface KeyWatch {
  /** Calls `end` once the key is revoked or expired. Returns a function that stops watching. */
  watch(keyId: string, end: () => void): () => void;
  close(): void;
}

const checkEveryMs = 2_000;

/** One query checks all keys in use. */
export function createKeyWatch({ db, log }: { db: Db; log: Logger }): KeyWatch {
  const watched = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    try {
      // Keys that are watched from here on wait for the next check.
      const asked = [...watched];
      const usable = new Set(
        await listUsableKeyIds(
          db,
          asked.map(([keyId]) => keyId),
        ),
      );
      for (const [keyId, ends] of asked) {
        if (usable.has(keyId)) continue;
        watched.delete(keyId);
        for (const end of ends) end();
      }
    } catch (err) {
      log.warn({ component: 'feed', err }, 'cannot check the keys of open streams');
    }
    timer = watched.size > 0 ? setTimeout(() => void check(), checkEveryMs) : undefined;
  }

  return {
    watch(keyId, end) {
      const ends = watched.get(keyId) ?? new Set();
      watched.set(keyId, ends.add(end));
      timer ??= setTimeout(() => void check(), checkEveryMs);
      return () => {
        ends.delete(end);
        if (ends.size === 0 && watched.get(keyId) === ends) watched.delete(keyId);
      };
    },
    close() {
      clearTimeout(timer);
      watched.clear();
    },
  };
}
