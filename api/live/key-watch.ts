// Ends streams and sockets when their key is revoked or expires, or their session in the dashboard ends.
import type { Logger } from 'pino';
import { listOpenSessionIds, listUsableKeyIds } from '../../schema/database/api-keys.ts';
import type { Db } from '../../schema/database/tables.ts';
import { timeOfId } from '../../schema/wire/ids.ts';

interface Watched {
  keyId: string;
  /** An open session has a usable key. */
  sessionId?: string;
}

export interface KeyWatch {
  /** Calls `end` once the caller's key or session has ended. Returns a function that stops watching. */
  watch(caller: Watched, end: () => void): () => void;
  close(): void;
}

const checkEveryMs = 2_000;

/** One query checks all keys in use, and one all sessions. */
export function createKeyWatch({ db, log }: { db: Db; log: Logger }): KeyWatch {
  /** By key or session. */
  const watched = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    try {
      // Keys that are watched from here on wait for the next check.
      const asked = [...watched];
      const { key = [], session = [] } = Object.groupBy(watched.keys(), kindOf);
      const usable = new Set([
        ...(await listUsableKeyIds(db, key)),
        ...(await listOpenSessionIds(db, session)),
      ]);
      for (const [id, ends] of asked) {
        if (usable.has(id)) continue;
        watched.delete(id);
        for (const end of ends) end();
      }
    } catch (err) {
      log.warn({ component: 'feed', err }, 'cannot check the keys of open streams');
    }
    timer = watched.size > 0 ? setTimeout(() => void check(), checkEveryMs) : undefined;
  }

  return {
    watch({ keyId, sessionId }, end) {
      const id = sessionId ?? keyId;
      const ends = watched.get(id) ?? new Set();
      watched.set(id, ends.add(end));
      timer ??= setTimeout(() => void check(), checkEveryMs);
      return () => {
        ends.delete(end);
        if (ends.size === 0 && watched.get(id) === ends) watched.delete(id);
      };
    },
    close() {
      clearTimeout(timer);
      watched.clear();
    },
  };
}

const kindOf = (id: string) => (timeOfId('session', id) ? 'session' : 'key');
