// From a request, or the upgrade to a socket, to its caller: by its API key, or by the session of its browser.
import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'hono/utils/cookie';
import { AppError } from '../../../schema/wire/errors.ts';
import type { Caller, Context } from '../context.ts';
import { authenticateKey, hashKey, toCaller } from './api-keys.ts';
import { recognizeSession } from './known-keys.ts';
import { isSecure, requireOwnOrigin } from './origins.ts';

/** The header with which a request asks for the browser's session. Other origins can't send it. */
const sessionHeader = 'X-Fanfare-Session';

export function sessionCookie({ publicUrl }: Pick<Context, 'publicUrl'>): string {
  // Servers on other ports of the host get the same cookies.
  const plain = `fanfare_session_${new URL(publicUrl).port}`;
  return isSecure(publicUrl) ? '__Host-fanfare_session' : plain;
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

type AuthContext = Pick<Context, 'config' | 'db' | 'log' | 'publicUrl'>;

/** What the database has of a cookie. No other hash, such as that of a one-time code, is made this way. */
export const hashSession = (token: string) => hashKey(`session ${token}`);

/** Throws `unauthorized`. An API key counts before a session. */
export async function authenticateRequest(
  context: AuthContext,
  credentials: Credentials,
): Promise<Caller> {
  const { authorization, isSession } = credentials;
  return isSession && typeof authorization !== 'string'
    ? authenticateSession(context, credentials)
    : authenticateKey(context, authorization);
}

/** The caller whose browser is signed in to the dashboard. Throws `unauthorized`. */
export async function authenticateSession(
  context: AuthContext,
  { isSession, cookie, origin }: Credentials,
): Promise<Caller & { sessionId: string }> {
  if (!isSession) {
    throw new AppError('unauthorized', `The request needs the header ${sessionHeader}.`);
  }
  requireOwnOrigin(context, origin);
  if (!context.config.hasDashboard) throw sessionEnded();
  const name = sessionCookie(context);
  const row = await recognizeSession(context, hashSession(parse(cookie ?? '', name)[name] ?? ''));
  if (!row) throw sessionEnded();
  return { ...toCaller(row), sessionId: row.session_id };
}

const sessionEnded = () =>
  new AppError('unauthorized', 'The session has ended.', { hint: 'Sign in again.' });

/** Why the streams of this caller end: its key or its session has ended. */
export function accessEnded({ sessionId }: Pick<Caller, 'sessionId'>): AppError {
  if (sessionId !== undefined) return sessionEnded();
  return new AppError('unauthorized', 'The API key has been revoked or has expired.');
}
