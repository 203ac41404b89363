// Who asks: the key of a request to its project and scopes.
import { createHash } from 'node:crypto';
import { findUsableApiKey, setApiKeyUsed } from '../../schema/database/api-keys.ts';
import type { ApiKeyRow, Db } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from '../server/context.ts';

/** How long a key that was found is believed: a revocation holds everywhere after this. */
const trustMs = 2_000;
const useRecordedEveryMs = 60_000;
const maxKnownKeys = 10_000;

interface KnownKey {
  row: ApiKeyRow;
  readAtMs: number;
  usedAtMs: number;
}

const knownKeys = new WeakMap<Db, Map<string, KnownKey>>();

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The caller behind `Authorization: Bearer <key>`, or `unauthorized`. */
export async function authenticate(
  context: Pick<Context, 'db' | 'log'>,
  authorization: string | null | undefined,
): Promise<Caller> {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) {
    throw new AppError('unauthorized', 'Send an API key.', {
      hint: 'Authorization: Bearer <API_KEY>',
    });
  }
  const known = await findKey(context.db, hashKey(key));
  if (!known) {
    throw new AppError('unauthorized', 'The API key is unknown, revoked or expired.');
  }
  recordUse(context, known);
  const { row } = known;
  return {
    projectId: row.project_id,
    keyId: row.id,
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

/** After a revocation in this process, so that it holds here at once. */
export function forgetKeys(db: Db): void {
  knownKeys.delete(db);
}

async function findKey(db: Db, hash: Buffer): Promise<KnownKey | undefined> {
  const keys = knownKeys.get(db) ?? new Map<string, KnownKey>();
  const name = hash.toString('base64');
  const known = keys.get(name);
  const now = Date.now();
  if (known && now - known.readAtMs < trustMs && isAlive(known.row, now)) return known;
  const row = await findUsableApiKey(db, hash);
  if (!row) {
    keys.delete(name);
    return undefined;
  }
  const usedAtMs = Math.max(row.last_used_at?.getTime() ?? 0, known?.usedAtMs ?? 0);
  const fresh = { row, readAtMs: now, usedAtMs };
  if (keys.size >= maxKnownKeys) keys.clear();
  knownKeys.set(db, keys.set(name, fresh));
  return fresh;
}

function isAlive(row: ApiKeyRow, nowMs: number): boolean {
  return row.expires_at === null || row.expires_at.getTime() > nowMs;
}

/** Once a minute, and nobody waits for it. */
function recordUse({ db, log }: Pick<Context, 'db' | 'log'>, known: KnownKey): void {
  const now = Date.now();
  if (now - known.usedAtMs < useRecordedEveryMs) return;
  known.usedAtMs = now;
  setApiKeyUsed(db, known.row.id, new Date(now)).catch((err: unknown) =>
    log.warn({ err, key_id: known.row.id }, 'the last use of a key could not be recorded'),
  );
}
