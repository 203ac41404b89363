// OAuth 2 with PKCE, by the library: the consent page, the exchange of its code, refresh and revocation.
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { App } from '../../schema/platforms/definition.ts';
import { parseJson } from './json-client.ts';
import { openKeyPair } from './key-pairs.ts';
import type { Begun, ConsentRequest, Credentials, Fetch, Flow, Login } from './platform.ts';
import { hasCode, PlatformError } from './platform-error.ts';
import { toRefusal, toSurprise } from './refusal.ts';
import { toTransportError } from './transport-errors.ts';

/** How a network implements OAuth 2. */
export interface OAuthNetwork {
  /** Title of the network. */
  network: string;
  /** The callback must name it: RFC 9207. Absent: the network names none. */
  issuer?: string;
  authorizationEndpoint: string;
  /** Takes the request, so the address of the consent page has only a reference: RFC 9126. */
  pushedRequestEndpoint?: string;
  tokenEndpoint: string;
  /** Absent: logins can't be revoked. @see RFC 7009 */
  revocationEndpoint?: string | undefined;
  /** A revoked refresh token leaves the access token. Default: false. */
  endsTokensAlone?: boolean;
  /**
   * How the app proves its secret: as HTTP Basic, in the form, or by a signature (RFC 7523), for which the
   * secret is a private JWK. Ignored without a secret.
   */
  clientAuth: 'basic' | 'post' | 'private_key_jwt';
  /** Signs every request, so that its tokens work only with this key: RFC 9449. */
  dpop?: oauth.DPoPHandle;
  /** Asked for at the consent page. */
  scopes: readonly string[];
  /** Default: true. */
  hasPkce?: boolean;
  /** Other parameters of the consent page. */
  parameters?: Record<string, string>;
  /** Whom the tokens are for, as more credentials of the login. Throws if they can't be used. */
  identify?(answer: oauth.TokenEndpointResponse): Record<string, string>;
  /** The login is useless without a refresh token. Default: false. */
  needsRefreshToken?: boolean;
  /** Whether this refusal of a refresh ends the login. Default: `invalid_grant`, as RFC 6749 says. */
  endsLogin?(code: string, description: string | undefined): boolean;
}

/** Tokens of a login, as a grant stores them. */
export interface Tokens {
  credentials: { access_token: string; refresh_token?: string } & Credentials;
  /** Null: the network names no expiry. */
  tokenExpiresAt: Date | null;
  scope: string[];
}

export interface OAuth {
  /** `signal`: of the pushed request. */
  begin(request: ConsentRequest, signal?: AbortSignal): Promise<Begun>;
  /** If `use` throws, nobody has the login, so it is revoked as far as that works. */
  complete<T>(
    query: Record<string, string>,
    request: ConsentRequest & { flow: Flow },
    use: (login: Tokens) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Keeps the refresh token if the network names no other one. */
  refresh(login: Login, signal: AbortSignal): Promise<Tokens>;
  revoke(login: Login, signal: AbortSignal): Promise<void>;
  /** Whether the server knows the app: it asks for a token of the app alone. RFC 6749, section 4.4. */
  isKnown(app: App, signal: AbortSignal): Promise<boolean>;
}

const Answer = z.record(z.string(), z.unknown());
const revokeTimeoutMs = 5_000;

type Ask = (
  client: oauth.Client,
  auth: oauth.ClientAuth,
  options: oauth.HttpRequestOptions<'POST', URLSearchParams> & oauth.DPoPRequestOptions,
) => Promise<Response>;

/** Every call throws only PlatformErrors. */
export function createOAuth(fetch: Fetch, settings: OAuthNetwork): OAuth {
  const { network, issuer, scopes, clientAuth, dpop, hasPkce = true } = settings;
  const server: oauth.AuthorizationServer = {
    issuer: issuer ?? new URL(settings.tokenEndpoint).origin,
    token_endpoint: settings.tokenEndpoint,
    ...(settings.pushedRequestEndpoint && {
      pushed_authorization_request_endpoint: settings.pushedRequestEndpoint,
    }),
    ...(settings.revocationEndpoint && { revocation_endpoint: settings.revocationEndpoint }),
  };

  async function ask<T>(
    { app, signal, secrets, isRefresh = false }: CallOptions,
    send: Ask,
    read: (client: oauth.Client, response: Response) => Promise<T>,
  ): Promise<T> {
    const { clientId, clientSecret } = requireApp(network, app);
    const client = { client_id: clientId };
    const hidden = [...secrets, clientSecret ?? ''];
    async function attempt(): Promise<T> {
      const response = await send(client, await authOf(clientSecret, clientAuth), {
        ...(signal && { signal }),
        ...(dpop && { DPoP: dpop }),
        // The guard decides which addresses may be reached.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url, init) => fetchWhole(fetch, url, init),
      });
      return read(client, response);
    }
    try {
      return await attempt().catch((error: unknown) => {
        // The server did nothing but name the nonce to use: RFC 9449, section 8.
        if (oauth.isDPoPNonceError(error)) return attempt();
        throw error;
      });
    } catch (error) {
      throw explain(error, { ...settings, secrets: hidden, isRefresh });
    }
  }

  /** Returns the reference to the request. */
  function push(
    app: App | null,
    parameters: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    return ask(
      { app, signal, secrets: [] },
      (client, auth, options) =>
        oauth.pushedAuthorizationRequest(server, client, auth, parameters, options),
      async (client, response) =>
        (await oauth.processPushedAuthorizationResponse(server, client, response)).request_uri,
    );
  }

  const identified = (tokens: Tokens, answer: oauth.TokenEndpointResponse): Tokens => ({
    ...tokens,
    credentials: { ...settings.identify?.(answer), ...tokens.credentials },
  });

  async function revokeLogin({ credentials, app }: Login, signal: AbortSignal): Promise<void> {
    const { access_token = '', refresh_token = access_token } = credentials;
    const tokens = settings.endsTokensAlone ? [refresh_token, access_token] : [refresh_token];
    for (const token of new Set(tokens)) {
      await ask(
        { app, signal, secrets: [access_token, refresh_token] },
        (client, auth, options) => revoke(server, client, auth, token, options),
        (_, response) => oauth.processRevocationResponse(response),
      );
    }
  }

  return {
    async begin({ state, callbackUrl, app }, signal) {
      const verifier = oauth.generateRandomCodeVerifier();
      const url = new URL(settings.authorizationEndpoint);
      const client_id = requireApp(network, app).clientId;
      const asked = {
        response_type: 'code',
        client_id,
        redirect_uri: callbackUrl,
        scope: scopes.join(' '),
        state,
        ...(hasPkce && {
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
        ...settings.parameters,
      };
      const parameters = settings.pushedRequestEndpoint
        ? { client_id, request_uri: await push(app, asked, signal) }
        : asked;
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, flow: { verifier } };
    },

    async complete(query, { state, callbackUrl, app, flow }, use, signal) {
      const { code } = query;
      if (code === undefined) throw refusedConsent(network, query);
      if (issuer !== undefined && query['iss'] !== issuer) {
        throw new PlatformError(
          'rejected',
          `The answer to this login doesn't come from ${issuer}.`,
        );
      }
      const verifier = flow['verifier']!;
      const callback = new URLSearchParams({ code, state });
      const answer = await ask(
        { app, signal, secrets: [code, verifier] },
        (client, auth, options) => {
          const checked = oauth.validateAuthResponse(server, client, callback, state);
          return oauth.authorizationCodeGrantRequest(
            server,
            client,
            auth,
            checked,
            callbackUrl,
            hasPkce ? verifier : oauth.nopkce,
            options,
          );
        },
        (client, response) => oauth.processAuthorizationCodeResponse(server, client, response),
      );
      const tokens = toTokens(answer, scopes);
      try {
        if (settings.needsRefreshToken && answer.refresh_token === undefined) {
          const message = `${network} returned no refresh token. Log in again.`;
          throw new PlatformError('rejected', message);
        }
        return await use(identified(tokens, answer));
      } catch (error) {
        if (settings.revocationEndpoint !== undefined) {
          // The other signal may be what ended `use`.
          const revoked = revokeLogin({ ...tokens, app }, AbortSignal.timeout(revokeTimeoutMs));
          await revoked.catch(() => undefined);
        }
        throw error;
      }
    },

    async refresh({ credentials, app }, signal) {
      const { access_token = '', refresh_token } = credentials;
      if (refresh_token === undefined) {
        throw new PlatformError('reauthorize', `This ${network} login has no refresh token.`);
      }
      const answer = await ask(
        { app, signal, secrets: [access_token, refresh_token], isRefresh: true },
        (client, auth, options) =>
          oauth.refreshTokenGrantRequest(server, client, auth, refresh_token, options),
        (client, response) => oauth.processRefreshTokenResponse(server, client, response),
      );
      return identified(toTokens({ refresh_token, ...answer }, scopes), answer);
    },

    revoke: revokeLogin,

    async isKnown(app, signal) {
      try {
        await ask(
          { app, signal, secrets: [] },
          (client, auth, options) => {
            const scope = scopes.join(' ');
            return oauth.clientCredentialsGrantRequest(server, client, auth, { scope }, options);
          },
          (client, response) => oauth.processClientCredentialsResponse(server, client, response),
        );
        return true;
      } catch (error) {
        if (isUnknownClient(error)) return false;
        // Such as `unsupported_grant_type`: the server may know the app all the same.
        if (isOAuthRefusal(error)) return true;
        throw error;
      }
    },
  };
}

interface CallOptions {
  app: App | null;
  signal: AbortSignal | undefined;
  /** Never shown, even if the network repeats them. */
  secrets: string[];
  /** A lost answer may have used up a refresh token. */
  isRefresh?: boolean;
}

/** The library signs no revocations. A pushed request is sent in the same way, and signed. */
function revoke(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  auth: oauth.ClientAuth,
  token: string,
  options: Parameters<Ask>[2],
): Promise<Response> {
  if (!options.DPoP) return oauth.revocationRequest(server, client, auth, token, options);
  const { revocation_endpoint = '' } = server;
  const at = { ...server, pushed_authorization_request_endpoint: revocation_endpoint };
  return oauth.pushedAuthorizationRequest(at, client, auth, { token }, options);
}

function requireApp(network: string, app: App | null): App {
  if (app) return app;
  throw new PlatformError('unavailable', `The app that made this ${network} login is unknown.`);
}

async function authOf(
  secret: string | null,
  kind: OAuthNetwork['clientAuth'],
): Promise<oauth.ClientAuth> {
  if (secret === null) return oauth.None();
  if (kind === 'basic') return basicOf(secret);
  if (kind === 'post') return oauth.ClientSecretPost(secret);
  const { privateKey, kid } = await openKeyPair(secret);
  return oauth.PrivateKeyJwt({ key: privateKey, kid }, { [oauth.modifyAssertion]: backdate });
}

/** Servers refuse a signature from the future, or one older than a minute. Their clocks may be 30 s off. */
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

/**
 * Without the challenge, for which the library would not read the error in the body. Some networks leave out
 * `token_type`.
 */
async function fetchWhole(
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
function toTokens(answer: oauth.TokenEndpointResponse, asked: readonly string[]): Tokens {
  const { access_token, refresh_token, expires_in, scope } = answer;
  return {
    credentials: { access_token, ...(refresh_token && { refresh_token }) },
    tokenExpiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1_000),
    // Some networks separate them with commas.
    scope: scope === undefined ? [...asked] : scope.split(/[\s,]+/).filter(Boolean),
  };
}

/** The network sent the user back without a code: RFC 6749, section 4.1.2.1. */
function refusedConsent(network: string, { error, error_description }: Record<string, string>) {
  const words = error_description ?? error ?? 'it gave no code';
  return new PlatformError('rejected', `${network} refused the login: ${words}`, {
    platformCode: error,
  });
}

const isUnknownClient = (error: unknown) => hasCode(error, 'invalid_client');

/** With an error code of OAuth, not a page of some server. */
const isOAuthRefusal = (error: unknown) =>
  error instanceof PlatformError &&
  error.kind === 'rejected' &&
  error.options.providerError?.['code'] !== undefined;

/** Of a refused refresh. All other codes are about the app or the server, so the login may still be good. */
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
    const verdict = isRefresh ? afterRefresh : 'rejected';
    return toRefusal({ ...refusal, verdict: status === 429 ? 'rate_limited' : verdict });
  }
  if (error instanceof oauth.OperationProcessingError) {
    const { cause } = error;
    if (!(cause instanceof Response) || cause.ok) return toSurprise(network, kind);
    const answer = { status: cause.status, headers: cause.headers, body: undefined };
    const verdict = isRefresh && cause.status < 429 ? 'unavailable' : undefined;
    return toRefusal({ network, kind, answer, secrets, verdict });
  }
  return toTransportError(error, kind);
}
