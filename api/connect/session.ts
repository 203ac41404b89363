// A connect session in a browser: its token, its cookie, the states of its forms, and where its user returns to.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context as HonoContext } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Platform } from '../../activities/platforms/platform.ts';
import type { ConnectSessionStatus } from '../../schema/accounts.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { tryOpen } from '../../schema/database/vault.ts';
import type { Context } from '../http/context.ts';

export const sessionLifetimeMs = 30 * 60_000;

/** A browser at the pages of an open session. */
export interface Visit {
  session: ConnectSessionRow;
  /** The browser's secret, from its cookie. */
  secret: string;
}

/** A pending session expires without a write. */
export function statusOf({ status, expires_at }: ConnectSessionRow): ConnectSessionStatus {
  return status === 'pending' && expires_at.getTime() <= Date.now() ? 'expired' : status;
}

/** The address to send the user to. Null: show a page that says how the session ended. */
export function returnUrlOf(session: ConnectSessionRow): string | null {
  if (session.return_url === null) return null;
  const url = new URL(session.return_url);
  url.searchParams.set('status', statusOf(session));
  url.searchParams.set('session_id', session.id);
  if (session.completed_social_account_ids.length > 0) url.searchParams.delete('account_id');
  for (const id of session.completed_social_account_ids) url.searchParams.append('account_id', id);
  return url.href;
}

export function platformOf({ platforms }: Context, session: ConnectSessionRow): Platform {
  const platform = platforms.get(session.platform);
  if (platform) return platform;
  throw new Error(`The network ${session.platform} is no longer configured.`);
}

/** The database stores only the hash. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: sha256(token) };
}

export function isToken(session: ConnectSessionRow, given: string): boolean {
  return timingSafeEqual(sha256(given), session.token_hash);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

type CookieContext = Pick<Context, 'publicUrl' | 'vault'>;

/**
 * The vault seals a random secret into the cookie. Every API process can open it, and nothing is
 * stored, so a link that a mail scanner loads first still works.
 */
export function setBrowserCookie(
  { publicUrl, vault }: CookieContext,
  c: HonoContext,
  sessionId: string,
): void {
  const secret = randomBytes(16).toString('base64url');
  const { keyId, ciphertext } = vault.seal(secret, sealContext(sessionId));
  setCookie(c, cookieName(sessionId), `${keyId}.${ciphertext.toString('base64url')}`, {
    ...(isSecure(publicUrl) ? { prefix: 'host' } : { path: '/connect' }),
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: sessionLifetimeMs / 1_000,
  });
}

/** Undefined if this browser didn't load the session's link. */
export function readBrowserSecret(
  { publicUrl, vault }: CookieContext,
  c: HonoContext,
  sessionId: string,
): string | undefined {
  const name = cookieName(sessionId);
  const cookie = isSecure(publicUrl) ? getCookie(c, name, 'host') : getCookie(c, name);
  const [keyId = '', ciphertext = ''] = cookie?.split('.') ?? [];
  const sealed = { keyId, ciphertext: Buffer.from(ciphertext, 'base64url') };
  return tryOpen(vault, sealed, sealContext(sessionId));
}

const nonceBytes = 16;
const macBytes = 16;

/** Networks see the state of a consent, so it must not be valid in a form. */
type StateOf = 'form' | 'flow';

/** Only the server can read the secret, so a state is valid for one session in one browser. */
export function newState(of: StateOf, sessionId: string, secret: string): string {
  return toState(of, sessionId, secret, randomBytes(nonceBytes));
}

export function isState(of: StateOf, sessionId: string, secret: string, given: string): boolean {
  const nonce = Buffer.from(given.split('.')[1] ?? '', 'base64url').subarray(0, nonceBytes);
  const expected = Buffer.from(toState(of, sessionId, secret, nonce));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function toState(of: StateOf, sessionId: string, secret: string, nonce: Buffer): string {
  const mac = createHmac('sha256', secret).update(`${of}.${sessionId}.`).update(nonce).digest();
  const signed = Buffer.concat([nonce, mac.subarray(0, macBytes)]);
  return `${sessionId}.${signed.toString('base64url')}`;
}

export function sessionIdOf(state: string): string {
  return state.split('.')[0] ?? '';
}

/** With the prefix `__Host-`, no other host can set the cookie. Browsers demand https for it. */
const isSecure = (publicUrl: string) => publicUrl.startsWith('https:');

const cookieName = (sessionId: string) => `connect_${sessionId}`;
const sealContext = (sessionId: string) => `connect_sessions/${sessionId}/browser`;
