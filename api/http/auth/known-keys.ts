// The keys and sessions that a process has just read, so that a request seldom asks the database who sends it.
import { LRUCache } from 'lru-cache';
import {
  findSessionKey,
  findUsableApiKey,
  setApiKeyUsed,
  type SessionKeyRow,
} from '../../../schema/database/api-keys.ts';
import type { ApiKeyRow, Db } from '../../../schema/database/tables.ts';
import type { Context } from '../context.ts';

/** How long a process trusts a key that it has read. A revocation takes effect within this time. */
const trustMs = 2_000;
const useRecordedEveryMs = 60_000;
const maxKnownKeys = 10_000;

interface Known<Row extends ApiKeyRow> {
  row: Row;
  readAtMs: number;
  usedAtMs: number;
}

type Cache<Row extends ApiKeyRow> = LRUCache<string, Known<Row>>;

interface Caches {
  keys: Cache<ApiKeyRow>;
  sessions: Cache<SessionKeyRow>;
}

const known = new WeakMap<Db, Caches>();

/** Where a kind of credential is kept and found, and when it ends. */
interface Kind<Row extends ApiKeyRow> {
  cacheOf(caches: Caches): Cache<Row>;
  find(db: Db, hash: Buffer): Promise<Row | undefined>;
  endsOf(row: Row): (Date | null)[];
}

const key: Kind<ApiKeyRow> = {
  cacheOf: ({ keys }) => keys,
  find: findUsableApiKey,
  endsOf: ({ expires_at }) => [expires_at],
};
const session: Kind<SessionKeyRow> = {
  cacheOf: ({ sessions }) => sessions,
  find: findSessionKey,
  endsOf: ({ expires_at, session_expires_at }) => [expires_at, session_expires_at],
};

type Used = Pick<Context, 'db' | 'log'>;

/** Finds the key and records its use. Undefined: the key is unknown, revoked or expired. */
export const recognizeKey = (context: Used, hash: Buffer) => recognize(context, key, hash);

/** Finds the session and records the use of its key. Undefined: the session is unknown, or has ended. */
export const recognizeSession = (context: Used, hash: Buffer) => recognize(context, session, hash);

/** Applies a revocation in this process at once, also to the sessions of the key. */
export function forgetKeys(db: Db): void {
  known.delete(db);
}

async function recognize<Row extends ApiKeyRow>(
  context: Used,
  kind: Kind<Row>,
  hash: Buffer,
): Promise<Row | undefined> {
  const found = await findKnown(context.db, kind, hash);
  if (found) recordUse(context, found);
  return found?.row;
}

async function findKnown<Row extends ApiKeyRow>(
  db: Db,
  kind: Kind<Row>,
  hash: Buffer,
): Promise<Known<Row> | undefined> {
  // A revocation drops the caches. The cache is taken before the query, so a key that is revoked during the
  // query is only in the dropped cache.
  const cache = kind.cacheOf(cachesOf(db));
  const name = hash.toString('base64');
  const last = cache.get(name);
  const now = Date.now();
  const isAlive = (row: Row) => kind.endsOf(row).every((end) => !end || end.getTime() > now);
  if (last && now - last.readAtMs < trustMs && isAlive(last.row)) return last;
  const row = await kind.find(db, hash);
  if (!row) {
    cache.delete(name);
    return undefined;
  }
  const usedAtMs = Math.max(row.last_used_at?.getTime() ?? 0, last?.usedAtMs ?? 0);
  const fresh = { row, readAtMs: now, usedAtMs };
  cache.set(name, fresh);
  return fresh;
}

function cachesOf(db: Db): Caches {
  const caches = known.get(db) ?? {
    keys: new LRUCache({ max: maxKnownKeys }),
    sessions: new LRUCache({ max: maxKnownKeys }),
  };
  known.set(db, caches);
  return caches;
}

/** Records in the background that the key was used, at most once a minute. */
function recordUse({ db, log }: Used, used: Known<ApiKeyRow>): void {
  const { id, project_id } = used.row;
  const now = Date.now();
  if (now - used.usedAtMs < useRecordedEveryMs) return;
  used.usedAtMs = now;
  setApiKeyUsed(db, project_id, id, new Date(now)).catch((err: unknown) =>
    log.warn({ component: 'http', err, key_id: id }, 'could not record the last use of an API key'),
  );
}
