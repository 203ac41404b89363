// From a request's API key to its project and scopes, and the tokens of links that work without a key.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKeyRow } from '../../../schema/database/tables.ts';
import { findGrant, type Scope } from '../../../schema/scopes.ts';
import { AppError, type AppErrorOptions } from '../../../schema/wire/errors.ts';
import type { Caller, Context } from '../context.ts';
import { recognizeKey } from './known-keys.ts';

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
export async function authenticateKey(
  context: Pick<Context, 'db' | 'log'>,
  authorization: string | null | undefined,
): Promise<Caller> {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) {
    throw new AppError('unauthorized', 'The request needs an API key.', {
      hint: 'Authorization: Bearer <API_KEY>',
    });
  }
  const row = await recognizeKey(context, hashKey(key));
  if (!row) throw new AppError('unauthorized', 'The API key is unknown, revoked or expired.');
  return toCaller(row);
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

/** Returns the scope of the key that allows the request. */
export function requireScope(
  { scopes }: Pick<Caller, 'scopes'>,
  scope: Scope,
  options: Pick<AppErrorOptions, 'hint'> = {},
): Scope {
  const grant = findGrant(scopes, scope);
  if (grant !== undefined) return grant;
  throw new AppError('insufficient_scope', `The API key lacks the scope ${scope}.`, {
    ...options,
    details: { required_scope: scope },
  });
}
