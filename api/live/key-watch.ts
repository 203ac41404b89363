// Ends streams and sockets when their key is revoked or expires, or their session in the dashboard ends.
import type { Logger } from 'pino';
import { listOpenSessionIds, listUsableKeyIds } from '../../schema/database/api-keys.ts';
import type { Db } from '../../schema/database/tables.ts';

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

/** The ends of streams, by the ID of their key or session. */
type Ends = Map<string, Set<() => void>>;

/** One query checks all keys in use, and one all sessions. */
export function createKeyWatch({ db, log }: { db: Db; log: Logger }): KeyWatch {
  const keys: Ends = new Map();
  const sessions: Ends = new Map();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    try {
      await endUnusable(keys, (ids) => listUsableKeyIds(db, ids));
      await endUnusable(sessions, (ids) => listOpenSessionIds(db, ids));
    } catch (err) {
      log.warn({ component: 'feed', err }, 'cannot check the keys of open streams');
    }
    timer =
      keys.size + sessions.size > 0 ? setTimeout(() => void check(), checkEveryMs) : undefined;
  }

  return {
    watch({ keyId, sessionId }, end) {
      const watched = sessionId === undefined ? keys : sessions;
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
      keys.clear();
      sessions.clear();
    },
  };
}

async function endUnusable(
  watched: Ends,
  listUsable: (ids: string[]) => Promise<string[]>,
): Promise<void> {
  // Those that are watched from here on wait for the next check.
  const asked = [...watched];
  const usable = new Set(await listUsable(asked.map(([id]) => id)));
  for (const [id, ends] of asked) {
    if (usable.has(id)) continue;
    watched.delete(id);
    for (const end of ends) end();
  }
}
