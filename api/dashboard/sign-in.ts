// Sessions of the dashboard: a key or a one-time code opens one, and signing out closes it.
import { randomBytes } from 'node:crypto';
import {
  deleteOldSessions,
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
import { hashSession } from '../http/auth/sessions.ts';
import { countRequest } from '../http/rate-limit.ts';
import { forgetKeys } from '../http/auth/known-keys.ts';
import type { Context } from '../http/context.ts';

/** A session ends after this, or with its key. */
export const sessionS = 7 * 86_400;
const codeMs = 10 * 60_000;
/** Of a key. A further sign-in ends the oldest one. */
const maxSessions = 100;

/**
 * Returns the value of the cookie, of which the database has only the hash. Counts as a request of the project. Throws
 * `validation_error` at `api_key`.
 */
export async function signInByKey(context: Context, key: string): Promise<string> {
  const { db } = context;
  const row = await findUsableApiKey(db, hashKey(key));
  if (!row) throw refuse('api_key', 'invalid_credentials', 'is unknown, revoked or expired');
  countRequest(context, { projectId: row.project_id });
  const token = newToken();
  await insertSession(db, {
    id: newId('session'),
    key_id: row.id,
    hash: hashSession(token),
    expires_at: sessionEnd(),
  });
  await deleteOldSessions(db, row.id, maxSessions);
  return token;
}

/** Returns the value of the cookie. Throws `validation_error` at `code`. */
export async function signInByCode(db: Db, code: string): Promise<string> {
  const token = newToken();
  const session = { id: newId('session'), hash: hashSession(token), expiresAt: sessionEnd() };
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
const hashCode = (code: string) => hashKey(`code ${code}`);
const sessionEnd = () => new Date(Date.now() + sessionS * 1_000);

export function refuse(field: string, code: string, message: string): AppError {
  return validationError([{ path: [field], code, message }]);
}
