// Sessions of the dashboard: a key or a one-time code opens one, and signing out closes it.
import { randomBytes } from 'node:crypto';
import {
  deleteSession,
  findUsableApiKey,
  insertSession,
  redeemCode,
} from '../../schema/database/api-keys.ts';
import type { Db } from '../../schema/database/tables.ts';
import { validationError, type AppError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import { isLoopback } from '../../schema/config/cross-checks.ts';
import { hashKey } from '../http/auth/api-keys.ts';
import { forgetKeys } from '../http/auth/known-keys.ts';
import type { Context } from '../http/context.ts';

/** A session ends after this, or with its key. */
export const sessionS = 7 * 86_400;
const codeMs = 10 * 60_000;

/** Returns the value of the cookie, of which the database has only the hash. Throws `validation_error` at `api_key`. */
export async function signInByKey(db: Db, key: string): Promise<string> {
  const row = await findUsableApiKey(db, hashKey(key));
  if (!row) throw refuse('api_key', 'invalid_credentials', 'is unknown, revoked or expired');
  const token = newToken();
  await insertSession(db, {
    id: newId('session'),
    key_id: row.id,
    hash: hashKey(token),
    expires_at: sessionEnd(),
  });
  return token;
}

/** Returns the value of the cookie. Throws `validation_error` at `code`. */
export async function signInByCode(db: Db, code: string): Promise<string> {
  const token = newToken();
  const session = { hash: hashKey(token), expiresAt: sessionEnd() };
  if (!(await redeemCode(db, hashCode(code), session))) {
    throw refuse(
      'code',
      'invalid_credentials',
      'is unknown, used or expired; sign in with an API key',
    );
  }
  return token;
}

/**
 * An address that signs one browser of this machine in, within ten minutes. Undefined: the dashboard is off, or other
 * machines use this URL. Browsers don't send the part after `#`, so no log has the code.
 */
export async function createSignInUrl(
  { db, publicUrl, config }: Context,
  keyId: string,
): Promise<string | undefined> {
  if (!config.hasDashboard || !isLoopback(new URL(publicUrl).hostname)) return undefined;
  const code = newToken();
  // A code is a session that no browser has opened yet.
  await insertSession(db, {
    id: newId('session'),
    key_id: keyId,
    hash: hashCode(code),
    expires_at: new Date(Date.now() + codeMs),
  });
  return `${publicUrl}/dashboard#code=${code}`;
}

/** Takes effect in this process at once, and in others within seconds. */
export async function signOut(db: Db, sessionId: string): Promise<void> {
  await deleteSession(db, sessionId);
  forgetKeys(db);
}

const newToken = () => randomBytes(32).toString('base64url');
/** The hash of a code differs from that of a cookie, so a code is no cookie. */
const hashCode = (code: string) => hashKey(`code ${code}`);
const sessionEnd = () => new Date(Date.now() + sessionS * 1_000);

export function refuse(field: string, code: string, message: string): AppError {
  return validationError([{ path: [field], code, message }]);
}
