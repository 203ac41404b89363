// What the hosted pages behind a link share: the cookie of a browser that opened the link, and the states of forms.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context as HonoContext } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { tryOpen } from '../../schema/database/vault.ts';
import { isSecure } from './auth/origins.ts';
import type { Context } from './context.ts';

/** A kind of link. */
export interface LinkKind {
  /** Begins the paths of its pages. */
  path: `/${string}`;
  /** Begins the names of its cookies. */
  cookie: string;
  /** Table of its links, in the context of the sealed secrets. */
  table: string;
}

/**
 * The vault seals a random secret into the cookie. Every API process can open it, and nothing is
 * stored, so a link that a mail scanner loads first still works.
 */
export function setBrowserCookie(
  { publicUrl, vault }: Context,
  c: HonoContext,
  kind: LinkKind,
  { id, forMs }: { id: string; forMs: number },
): void {
  const secret = randomBytes(16).toString('base64url');
  const { keyId, ciphertext } = vault.seal(secret, sealContext(kind, id));
  setCookie(c, `${kind.cookie}_${id}`, `${keyId}.${ciphertext.toString('base64url')}`, {
    ...(isSecure(publicUrl) ? { prefix: 'host' } : { path: kind.path }),
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: Math.ceil(forMs / 1_000),
  });
}

/** Undefined if this browser didn't load the link. */
export function readBrowserSecret(
  { publicUrl, vault }: Context,
  c: HonoContext,
  kind: LinkKind,
  id: string,
): string | undefined {
  const name = `${kind.cookie}_${id}`;
  const cookie = isSecure(publicUrl) ? getCookie(c, name, 'host') : getCookie(c, name);
  const [keyId = '', ciphertext = ''] = cookie?.split('.') ?? [];
  const sealed = { keyId, ciphertext: Buffer.from(ciphertext, 'base64url') };
  return tryOpen(vault, sealed, sealContext(kind, id));
}

const sealContext = ({ table }: LinkKind, id: string) => `${table}/${id}/browser`;

const nonceBytes = 16;
const macBytes = 16;

/** Networks see the state of a consent, so it must not be valid in a form. */
export type StateOf = 'form' | 'flow';

/** Only the server can read the secret, so a state is valid for one link in one browser. */
export function newState(of: StateOf, id: string, secret: string): string {
  return toState(of, id, secret, randomBytes(nonceBytes));
}

export function isState(of: StateOf, id: string, secret: string, given: string): boolean {
  const nonce = Buffer.from(given.split('.')[1] ?? '', 'base64url').subarray(0, nonceBytes);
  const expected = Buffer.from(toState(of, id, secret, nonce));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function toState(of: StateOf, id: string, secret: string, nonce: Buffer): string {
  const mac = createHmac('sha256', secret).update(`${of}.${id}.`).update(nonce).digest();
  const signed = Buffer.concat([nonce, mac.subarray(0, macBytes)]);
  return `${id}.${signed.toString('base64url')}`;
}
