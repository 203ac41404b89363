// A request to a network's OAuth endpoints: how the app proves itself, what the answer gives, what a refusal means.
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { App } from '../../../schema/platforms/definition.ts';
import { parseJson } from '../json-client.ts';
import { openKeyPair } from './key-pairs.ts';
import { PlatformError } from '../platform-error.ts';
import type { Credentials, Fetch } from '../platform.ts';
import { toRefusal, toUnexpectedAnswer } from '../refusal.ts';
import { toTransportError } from '../transport-errors.ts';

/** How a network implements OAuth 2. */
export interface OAuthNetwork {
  /** Title of the network. */
  network: string;
  /** The issuer that the callback must name: RFC 9207. Absent: the network names no issuer. */
  issuer?: string;
  authorizationEndpoint: string;
  /**
   * Receives the parameters of the consent page, so the page's address contains only a reference to them: RFC
   * 9126.
   */
  pushedRequestEndpoint?: string;
  tokenEndpoint: string;
  /** Absent: logins can't be revoked. @see RFC 7009 */
  revocationEndpoint?: string | undefined;
  /** A revocation ends every login of the user at the app. Default: false. */
  revokesAll?: boolean;
  /** The access token stays valid after a revocation of the refresh token. Default: false. */
  endsTokensAlone?: boolean;
  /** A login is revoked by its access token. Default: by its refresh token, if it has one. */
  revokesByAccessToken?: boolean;
  /** Name of the parameter with the client ID. Default: `client_id`. */
  clientIdName?: string;
  /**
   * How the app proves its secret: as HTTP Basic, in the form, or by a signature (RFC 7523), for which the
   * secret is a private JWK. Ignored without a secret.
   */
  clientAuth: 'basic' | 'post' | 'private_key_jwt';
  /** The key that signs every request, so that the tokens work only with this key: RFC 9449. */
  dpop?: oauth.DPoPHandle;
  /** Scopes that the consent page asks for. */
  scopes: readonly string[];
  /** Between the scopes of the consent page. Default: a space, as RFC 6749 says. */
  scopeSeparator?: ',';
  /** Whether the network supports PKCE. Default: true. */
  hasPkce?: boolean;
  /** Other parameters of the consent page. */
  parameters?: Record<string, string>;
  /** Other parameters of the exchange of a code. */
  codeParameters?: Record<string, string>;
  /**
   * Reads an error of the endpoints that isn't in the form of RFC 6749. Undefined: the body is no such error.
   */
  readError?(body: unknown): { error: string; error_description: string } | undefined;
  /** Returns the owner of the tokens as further credentials of the login. Throws if they can't be used. */
  identify?(answer: oauth.TokenEndpointResponse): Record<string, string>;
  /** The login is useless without a refresh token. Default: false. */
  needsRefreshToken?: boolean;
  /**
   * Whether this refusal of a refresh ends the login. Default: only `invalid_grant` does, as RFC 6749 says.
   */
  endsLogin?(code: string, description: string | undefined): boolean;
}

interface AskOptions {
  app: App;
  signal: AbortSignal | undefined;
  /** Never shown, even if the network repeats them. */
  secrets: string[];
  /** A lost answer may have used up a refresh token. */
  isRefresh?: boolean;
}

export type Send = (
  client: oauth.Client,
  auth: oauth.ClientAuth,
  options: oauth.HttpRequestOptions<'POST', URLSearchParams> & oauth.DPoPRequestOptions,
) => Promise<Response>;

/** A network's OAuth endpoints, and the `fetch` that reaches them. */
export type Endpoints = OAuthNetwork & { fetch: Fetch };

/** Sends a request to an endpoint on behalf of the app. Throws only PlatformErrors. */
export async function ask<T>(
  endpoints: Endpoints,
  { app: { clientId, clientSecret }, signal, secrets, isRefresh = false }: AskOptions,
  send: Send,
  read: (client: oauth.Client, response: Response) => Promise<T>,
): Promise<T> {
  const { dpop } = endpoints;
  const client = { client_id: clientId };
  const hidden = [...secrets, clientSecret ?? ''];
  async function attempt() {
    const response = await send(client, await authOf(clientSecret, endpoints), {
      ...(signal && { signal }),
      ...(dpop && { DPoP: dpop }),
      // The guard decides which addresses may be reached.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url, init) => fetchWhole(endpoints, url, init),
    });
    return read(client, response);
  }
  try {
    return await attempt().catch((error: unknown) => {
      // The server has done nothing yet. It only named the nonce to use: RFC 9449, section 8.
      if (oauth.isDPoPNonceError(error)) return attempt();
      throw error;
    });
  } catch (error) {
    throw explain(error, { ...endpoints, secrets: hidden, isRefresh });
  }
}

/**
 * The library can't sign a revocation, so it sends the revocation like a pushed request, which has the same
 * form.
 */
export function sendRevocation(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  auth: oauth.ClientAuth,
  token: string,
  options: Parameters<Send>[2],
): Promise<Response> {
  if (!options.DPoP) return oauth.revocationRequest(server, client, auth, token, options);
  const { revocation_endpoint = '' } = server;
  const at = { ...server, pushed_authorization_request_endpoint: revocation_endpoint };
  return oauth.pushedAuthorizationRequest(at, client, auth, { token }, options);
}

async function authOf(
  secret: string | null,
  { clientAuth, clientIdName = 'client_id' }: OAuthNetwork,
): Promise<oauth.ClientAuth> {
  if (secret === null) return oauth.None();
  if (clientAuth === 'basic') return basicOf(secret);
  if (clientAuth === 'post') {
    return (_as, { client_id }, body) => {
      body.set(clientIdName, client_id);
      body.set('client_secret', secret);
    };
  }
  const { privateKey, kid } = await openKeyPair(secret);
  return oauth.PrivateKeyJwt({ key: privateKey, kid }, { [oauth.modifyAssertion]: backdate });
}

/**
 * Servers refuse a signature from the future, and a signature older than a minute. Their clocks may be 30 s
 * off.
 */
function backdate(_header: unknown, claims: Record<string, unknown>): void {
  const { iat } = claims;
  if (typeof iat === 'number') Object.assign(claims, { iat: iat - 30, nbf: iat - 30 });
}

/** The library also encodes `-` and `_`, which servers that decode nothing refuse. */
function basicOf(secret: string): oauth.ClientAuth {
  return (_as, { client_id }, _body, headers) => {
    const login = [client_id, secret].map(encodeURIComponent).join(':');
    headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`);
  };
}

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
 * which some networks leave out. Writes an error in the form of RFC 6749. A refusal is a refusal even if its status is
 * 200.
 */
async function fetchWhole(
  { fetch, readError }: Endpoints,
  url: string,
  init: oauth.CustomFetchOptions<'POST', URLSearchParams>,
) {
  const response = await fetch(url, init);
  const headers = new Headers(response.headers);
  headers.delete('www-authenticate');
  const text = await response.text();
  const body = Answer.safeParse(parseJson(text)).data;
  const isToken = body?.['access_token'] !== undefined;
  const isRefusal = response.ok && !isToken && typeof body?.['error'] === 'string';
  const tokens = body && JSON.stringify({ token_type: 'bearer', ...toReadable(body) });
  const status = isRefusal ? 400 : response.status;
  const error = response.ok ? undefined : readError?.(body);
  const answer = error ? JSON.stringify(error) : text;
  return new Response(isToken ? tokens : answer, { status, headers });
}

/**
 * Drops optional members with invalid values, because refusing the answer would lose a login's only tokens.
 */
function toReadable(body: Record<string, unknown>): Record<string, unknown> {
  const isOdd: Record<string, (value: unknown) => boolean> = {
    // No code reads the ID token.
    id_token: () => true,
    expires_in: (value) => !(Number.parseFloat(String(value)) >= 0),
    scope: (value) => typeof value !== 'string',
    refresh_token: (value) => typeof value !== 'string' || value === '',
  };
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !isOdd[name]?.(value)));
}

/** If the answer names no scope, the requested scope is used: RFC 6749, section 5.1. */
export function toTokens(answer: oauth.TokenEndpointResponse, asked: readonly string[]): Tokens {
  const { access_token, refresh_token, expires_in, scope } = answer;
  return {
    credentials: { access_token, ...(refresh_token && { refresh_token }) },
    tokenExpiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1_000),
    // Some networks separate scopes with commas.
    scope: scope === undefined ? [...asked] : scope.split(/[\s,]+/).filter(Boolean),
  };
}

/** Whether the answer has an error code of OAuth. An error page of a proxy has none. */
export const isOAuthRefusal = (error: unknown) =>
  error instanceof PlatformError &&
  error.kind === 'rejected' &&
  error.options.providerError?.['code'] !== undefined;

/** Whether a refused refresh ends the login. Other codes are about the app or the server, so the login may be good. */
const isInvalidGrant = (code: string) => code === 'invalid_grant';

function explain(
  error: unknown,
  {
    network,
    endsLogin = isInvalidGrant,
    secrets,
    isRefresh,
  }: Pick<OAuthNetwork, 'network' | 'endsLogin'> & { secrets: string[]; isRefresh: boolean },
): PlatformError {
  const kind = isRefresh ? 'commit' : 'other';
  if (error instanceof oauth.ResponseBodyError) {
    const { status, response, error: code, error_description: message } = error;
    const answer = { status, headers: response.headers, body: undefined };
    const refusal = { network, kind: 'other', answer, secrets, code, message } as const;
    const afterRefresh = endsLogin(code, message) ? 'reauthorize' : 'unavailable';
    const meaning = isRefresh ? afterRefresh : 'rejected';
    return toRefusal({ ...refusal, meaning: status === 429 ? 'rate_limited' : meaning });
  }
  if (error instanceof oauth.OperationProcessingError) {
    const { cause } = error;
    if (!(cause instanceof Response) || cause.ok) return toUnexpectedAnswer(network, kind);
    const answer = { status: cause.status, headers: cause.headers, body: undefined };
    const meaning = isRefresh && cause.status < 429 ? 'unavailable' : undefined;
    return toRefusal({ network, kind, answer, secrets, meaning });
  }
  return toTransportError(error, kind);
}
