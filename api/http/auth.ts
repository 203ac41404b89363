// Authentication: from a request's API key, or its session in the dashboard, to its project and scopes.
import type { IncomingHttpHeaders } from 'node:http';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { parse } from 'hono/utils/cookie';
import { LRUCache } from 'lru-cache';
import {
  findSessionKey,
  findUsableApiKey,
  setApiKeyUsed,
  type SessionKeyRow,
} from '../../schema/database/api-keys.ts';
import type { ApiKeyRow, Db } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from './context.ts';

/** How long a process trusts a key that it has read. A revocation takes effect within this time. */
const trustMs = 2_000;
const useRecordedEveryMs = 60_000;
const maxKnownKeys = 10_000;

interface KnownKey {
  row: ApiKeyRow & Partial<SessionKeyRow>;
  readAtMs: number;
  usedAtMs: number;
}

const knownKeys = new WeakMap<Db, LRUCache<string, KnownKey>>();

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Makes the token of a link that works without an API key. The database stores only the hash. */
export function newLinkToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashKey(token) };
}

export function isLinkToken(hash: Buffer, given: string): boolean {
  return timingSafeEqual(hash, hashKey(given));
}

/** The caller of `Authorization: Bearer <key>`. Throws `unauthorized`. */
export async function authenticate(
  context: Pick<Context, 'db' | 'log'>,
  authorization: string | null | undefined,
): Promise<Caller> {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) {
    throw new AppError('unauthorized', 'The request needs an API key.', {
      hint: 'Authorization: Bearer <API_KEY>',
    });
  }
  const known = await findKey(context.db, 'key', hashKey(key));
  if (!known) {
    throw new AppError('unauthorized', 'The API key is unknown, revoked or expired.');
  }
  recordUse(context, known);
  return toCaller(known.row);
}

/** The caller whose browser is signed in to the dashboard with this token. Throws `unauthorized`. */
export async function authenticateSession(
  context: Pick<Context, 'db' | 'log'>,
  token: string,
): Promise<Caller> {
  const known = await findKey(context.db, 'session', hashKey(token));
  if (!known) throw sessionEnded();
  recordUse(context, known);
  return { ...toCaller(known.row), sessionId: known.row.session_id! };
}

const sessionEnded = () =>
  new AppError('unauthorized', 'The session has ended.', { hint: 'Sign in again.' });

/** Why the streams of this caller end: its key or its session has ended. */
export function accessEnded({ sessionId }: Pick<Caller, 'sessionId'>): AppError {
  if (sessionId !== undefined) return sessionEnded();
  return new AppError('unauthorized', 'The API key has been revoked or has expired.');
}

export function toCaller(row: ApiKeyRow): Caller {
  return {
    projectId: row.project_id,
    keyId: row.id,
    keyName: row.name,
    scopes: row.scopes,
    environment: row.environment,
    keyExpiresAt: row.expires_at,
  };
}

export function requireScope(caller: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new AppError('insufficient_scope', `The API key lacks the scope ${scope}.`, {
    details: { required_scope: scope },
  });
}

/** Applies a revocation in this process at once. */
export function forgetKeys(db: Db): void {
  knownKeys.delete(db);
}

const finders = { key: findUsableApiKey, session: findSessionKey };

async function findKey(
  db: Db,
  by: keyof typeof finders,
  hash: Buffer,
): Promise<KnownKey | undefined> {
  const keys = knownKeys.get(db) ?? new LRUCache<string, KnownKey>({ max: maxKnownKeys });
  // A revocation drops this cache. The cache is taken before the query, so a key that is revoked during the
  // query is only in the dropped cache.
  knownKeys.set(db, keys);
  const name = `${by} ${hash.toString('base64')}`;
  const known = keys.get(name);
  const now = Date.now();
  if (known && now - known.readAtMs < trustMs && isAlive(known.row, now)) return known;
  const row = await finders[by](db, hash);
  if (!row) {
    keys.delete(name);
    return undefined;
  }
  const usedAtMs = Math.max(row.last_used_at?.getTime() ?? 0, known?.usedAtMs ?? 0);
  const fresh = { row, readAtMs: now, usedAtMs };
  keys.set(name, fresh);
  return fresh;
}

function isAlive({ expires_at, session_expires_at }: KnownKey['row'], nowMs: number): boolean {
  return [expires_at, session_expires_at].every((end) => !end || end.getTime() > nowMs);
}

/** Records in the background that the key was used, at most once a minute. */
function recordUse({ db, log }: Pick<Context, 'db' | 'log'>, known: KnownKey): void {
  const { id, project_id } = known.row;
  const now = Date.now();
  if (now - known.usedAtMs < useRecordedEveryMs) return;
  known.usedAtMs = now;
  setApiKeyUsed(db, project_id, id, new Date(now)).catch((err: unknown) =>
    log.warn({ component: 'http', err, key_id: id }, 'could not record the last use of an API key'),
  );
}

/** The header with which a request asks for the browser's session. Other origins can't send it. */
export const sessionHeader = 'X-Fanfare-Session';

/**
 * Whether browsers use this installation over https. Then cookies have the prefix `__Host-`, with which no other host
 * can set them, and the next visit must use https too.
 */
export const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

export function sessionCookie({ publicUrl }: Pick<Context, 'publicUrl'>): string {
  return isSecure(publicUrl) ? '__Host-fanfare_session' : 'fanfare_session';
}

export interface Credentials {
  authorization?: string | null | undefined;
  /** Whether the request asks for the browser's session. */
  isSession: boolean;
  cookie?: string | null | undefined;
  origin?: string | null | undefined;
}

export function ofHeaders(headers: Headers): Credentials {
  return {
    authorization: headers.get('Authorization'),
    isSession: headers.has(sessionHeader),
    cookie: headers.get('Cookie'),
    origin: headers.get('Origin'),
  };
}

/** Of the request that opened a socket. */
export function ofUpgrade({ authorization, cookie, origin }: IncomingHttpHeaders): Credentials {
  return { authorization, isSession: false, cookie, origin };
}

/** Throws `unauthorized`. An API key counts before a session. */
export async function authenticateBy(
  context: Pick<Context, 'db' | 'log' | 'publicUrl'>,
  { authorization, isSession, cookie, origin }: Credentials,
): Promise<Caller> {
  if (!isSession || typeof authorization === 'string') return authenticate(context, authorization);
  requireOwnOrigin(context, origin);
  const name = sessionCookie(context);
  return authenticateSession(context, parse(cookie ?? '', name)[name] ?? '');
}

/** A page of another origin must not act with the browser's session, nor sign the browser in. */
export function requireOwnOrigin(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  origin: string | null | undefined,
): void {
  const own = new URL(publicUrl).origin;
  if (origin === own) return;
  throw new AppError('unauthorized', `A session counts only on pages of ${own}.`, {
    hint: `Open ${publicUrl}/dashboard`,
  });
}
