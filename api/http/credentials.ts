// The credentials of a request: an API key, or the cookie of a browser that is signed in to the dashboard.
import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'hono/utils/cookie';
import { AppError } from '../../schema/wire/errors.ts';
import { authenticate, authenticateSession } from './auth.ts';
import type { Caller, Context } from './context.ts';

/** The header with which a request asks for the browser's session. Other origins can't send it. */
export const sessionHeader = 'X-Fanfare-Session';

/** With the prefix `__Host-`, no other host can set the cookie. Browsers demand https for it. */
export function sessionCookie({ publicUrl }: Pick<Context, 'publicUrl'>): string {
  return publicUrl.startsWith('https:') ? '__Host-fanfare_session' : 'fanfare_session';
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
