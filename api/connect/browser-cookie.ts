// The cookie that binds a connect session's pages to one browser, and the state made from it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context as HonoContext } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Context } from '../server/context.ts';

const livesS = 30 * 60;

type CookieContext = Pick<Context, 'publicUrl' | 'vault'>;

/**
 * The vault seals a random secret into the cookie, so every API process can open it and nothing is
 * stored: loading the link binds no browser.
 */
export function setBrowserCookie(
  { publicUrl, vault }: CookieContext,
  c: HonoContext,
  sessionId: string,
): void {
  const secret = randomBytes(16).toString('base64url');
  const { keyId, ciphertext } = vault.seal(secret, sealContext(sessionId));
  setCookie(c, cookieName(sessionId), `${keyId}.${ciphertext.toString('base64url')}`, {
    path: '/connect',
    httpOnly: true,
    sameSite: 'Lax',
    secure: publicUrl.startsWith('https:'),
    maxAge: livesS,
  });
}

/** The secret in the browser's cookie. Undefined: this browser did not load the session's link. */
export function readBrowserSecret(
  { vault }: CookieContext,
  c: HonoContext,
  sessionId: string,
): string | undefined {
  const [keyId = '', ciphertext = ''] = getCookie(c, cookieName(sessionId))?.split('.') ?? [];
  try {
    const sealed = { keyId, ciphertext: Buffer.from(ciphertext, 'base64url') };
    return vault.open(sealed, sealContext(sessionId));
  } catch {
    return undefined;
  }
}

/** Only the server can read the secret, so the state fits one session in one browser. */
export function toState(sessionId: string, secret: string): string {
  return `${sessionId}.${createHmac('sha256', secret).update(sessionId).digest('base64url')}`;
}

export function isState(sessionId: string, secret: string, given: string): boolean {
  const [actual, expected] = [Buffer.from(given), Buffer.from(toState(sessionId, secret))];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

export function sessionIdOf(state: string): string {
  return state.split('.')[0] ?? '';
}

const cookieName = (sessionId: string) => `connect_${sessionId}`;
const sealContext = (sessionId: string) => `connect_sessions/${sessionId}/browser`;
