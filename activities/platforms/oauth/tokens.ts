// The tokens in an answer of a network, even if other parts of the answer are malformed.
import type * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { parseJson } from '../json-client.ts';
import type { Credentials, Fetch } from '../platform.ts';

/** Tokens of a login, as a grant stores them. */
export interface Tokens {
  credentials: { access_token: string; refresh_token?: string } & Credentials;
  /** Null: the network names no expiry. */
  tokenExpiresAt: Date | null;
  scope: string[];
}

const Answer = z.record(z.string(), z.unknown());

/**
 * Removes the challenge, because the library would then not read the error in the body. Adds `token_type`,
 * which some networks leave out.
 */
export async function fetchWhole(
  fetch: Fetch,
  url: string,
  init: oauth.CustomFetchOptions<'POST', URLSearchParams>,
) {
  const response = await fetch(url, init);
  const headers = new Headers(response.headers);
  headers.delete('www-authenticate');
  const text = await response.text();
  const body = Answer.safeParse(parseJson(text)).data;
  const isToken = body?.['access_token'] !== undefined;
  const tokens = body && JSON.stringify({ token_type: 'bearer', ...toReadable(body) });
  return new Response(isToken ? tokens : text, { status: response.status, headers });
}

/** Drops odd optional members: refusing the answer would lose a login's only tokens. */
function toReadable(body: Record<string, unknown>): Record<string, unknown> {
  const isOdd: Record<string, (value: unknown) => boolean> = {
    // Nothing reads it.
    id_token: () => true,
    expires_in: (value) => !(Number.parseFloat(String(value)) >= 0),
    scope: (value) => typeof value !== 'string',
    refresh_token: (value) => typeof value !== 'string' || value === '',
  };
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !isOdd[name]?.(value)));
}

/** The scope that was asked for, if the answer names none: RFC 6749, section 5.1. */
export function toTokens(answer: oauth.TokenEndpointResponse, asked: readonly string[]): Tokens {
  const { access_token, refresh_token, expires_in, scope } = answer;
  return {
    credentials: { access_token, ...(refresh_token && { refresh_token }) },
    tokenExpiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1_000),
    // Some networks separate them with commas.
    scope: scope === undefined ? [...asked] : scope.split(/[\s,]+/).filter(Boolean),
  };
}
