// OAuth 2 with PKCE, by the library: the consent page, the exchange of its code, refresh and revocation.
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { App } from '../../schema/platforms/definition.ts';
import { parseJson } from './json-client.ts';
import type { Begun, ConsentRequest, Fetch, Flow, Login } from './platform.ts';
import { PlatformError } from './platform-error.ts';
import { toRefusal, toSurprise } from './refusal.ts';
import { toTransportError } from './transport-errors.ts';

/** How a network implements OAuth 2. */
export interface OAuthNetwork {
  /** Title of the network. */
  network: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** Absent: logins can't be revoked. @see RFC 7009 */
  revocationEndpoint?: string;
  /** How the app sends its secret: as HTTP Basic, or in the form. Ignored without a secret. */
  clientAuth: 'basic' | 'post';
  /** Asked for at the consent page. */
  scopes: readonly string[];
  /** Default: true. */
  hasPkce?: boolean;
  /** The login is useless without a refresh token. Default: false. */
  needsRefreshToken?: boolean;
  /** Whether this refusal of a refresh ends the login. Default: `invalid_grant`, as RFC 6749 says. */
  endsLogin?(code: string, description: string | undefined): boolean;
}

/** Tokens of a login, as a grant stores them. */
export interface Tokens {
  credentials: { access_token: string; refresh_token?: string };
  /** Null: the network names no expiry. */
  tokenExpiresAt: Date | null;
  scope: string[];
}

export interface OAuth {
  begin(request: ConsentRequest): Promise<Begun>;
  complete(
    query: Record<string, string>,
    request: ConsentRequest & { flow: Flow },
    signal: AbortSignal,
  ): Promise<Tokens>;
  /** Keeps the refresh token if the network names no other one. */
  refresh(login: Login, signal: AbortSignal): Promise<Tokens>;
  revoke(login: Login, signal: AbortSignal): Promise<void>;
  /** Whether the server knows the app: it asks for a token of the app alone. RFC 6749, section 4.4. */
  isKnown(app: App, signal: AbortSignal): Promise<boolean>;
}

const Answer = z.record(z.string(), z.unknown());

type Ask = (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  auth: oauth.ClientAuth,
  options: oauth.HttpRequestOptions<'POST', URLSearchParams>,
) => Promise<Response>;

/** Every call throws only PlatformErrors. */
export function createOAuth(fetch: Fetch, settings: OAuthNetwork): OAuth {
  const { network, scopes, clientAuth, hasPkce = true } = settings;
  const server: oauth.AuthorizationServer = {
    issuer: new URL(settings.tokenEndpoint).origin,
    token_endpoint: settings.tokenEndpoint,
    ...(settings.revocationEndpoint && { revocation_endpoint: settings.revocationEndpoint }),
  };

  /** `lost`: what a lost answer means. */
  async function ask<T>(
    { app, signal, secrets, lost }: CallOptions,
    send: Ask,
    read: (client: oauth.Client, response: Response) => Promise<T>,
  ): Promise<T> {
    const { clientId, clientSecret } = requireApp(network, app);
    const client = { client_id: clientId };
    const hidden = [...secrets, clientSecret ?? ''];
    try {
      const response = await send(server, client, authOf(clientSecret, clientAuth), {
        signal,
        // The guard decides which addresses may be reached.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url, init) => fetchWhole(fetch, url, init),
      });
      return await read(client, response);
    } catch (error) {
      throw explain(error, { ...settings, secrets: hidden, lost });
    }
  }

  return {
    async begin({ state, callbackUrl, app }) {
      const verifier = oauth.generateRandomCodeVerifier();
      const url = new URL(settings.authorizationEndpoint);
      const parameters = {
        response_type: 'code',
        client_id: requireApp(network, app).clientId,
        redirect_uri: callbackUrl,
        scope: scopes.join(' '),
        state,
        ...(hasPkce && {
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, flow: { verifier } };
    },

    async complete(query, { state, callbackUrl, app, flow }, signal) {
      const { code } = query;
      if (code === undefined) throw refusedConsent(network, query);
      const verifier = flow['verifier']!;
      const callback = new URLSearchParams({ code, state });
      return ask(
        { app, signal, secrets: [code, verifier], lost: 'other' },
        (as, client, auth, options) => {
          const checked = oauth.validateAuthResponse(as, client, callback, state);
          return oauth.authorizationCodeGrantRequest(
            as,
            client,
            auth,
            checked,
            callbackUrl,
            hasPkce ? verifier : oauth.nopkce,
            options,
          );
        },
        async (client, response) => {
          const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
          if (settings.needsRefreshToken && tokens.refresh_token === undefined) {
            throw new PlatformError('rejected', `${network} gave no refresh token. Log in again.`);
          }
          return toTokens(tokens, scopes);
        },
      );
    },

    async refresh({ credentials, app }, signal) {
      const { access_token = '', refresh_token } = credentials;
      if (refresh_token === undefined) {
        throw new PlatformError('reauthorize', `This ${network} login has no refresh token.`);
      }
      return ask(
        { app, signal, secrets: [access_token, refresh_token], lost: 'commit' },
        (as, client, auth, options) =>
          oauth.refreshTokenGrantRequest(as, client, auth, refresh_token, options),
        async (client, response) => {
          const tokens = await oauth.processRefreshTokenResponse(server, client, response);
          return toTokens({ refresh_token, ...tokens }, scopes);
        },
      );
    },

    async revoke({ credentials, app }, signal) {
      const { access_token = '', refresh_token = access_token } = credentials;
      await ask(
        { app, signal, secrets: [access_token, refresh_token], lost: 'other' },
        (as, client, auth, options) =>
          oauth.revocationRequest(as, client, auth, refresh_token, options),
        (_, response) => oauth.processRevocationResponse(response),
      );
    },

    async isKnown(app, signal) {
      try {
        await ask(
          { app, signal, secrets: [], lost: 'other' },
          (as, client, auth, options) => {
            const scope = scopes.join(' ');
            return oauth.clientCredentialsGrantRequest(as, client, auth, { scope }, options);
          },
          (client, response) => oauth.processClientCredentialsResponse(server, client, response),
        );
        return true;
      } catch (error) {
        if (isUnknownClient(error)) return false;
        throw error;
      }
    },
  };
}

interface CallOptions {
  app: App | null;
  signal: AbortSignal;
  /** Never shown, even if the network repeats them. */
  secrets: string[];
  /** `commit`: a lost answer may have used up a refresh token. */
  lost: 'commit' | 'other';
}

function requireApp(network: string, app: App | null): App {
  if (app) return app;
  throw new PlatformError('unavailable', `The app that made this ${network} login is unknown.`);
}

function authOf(secret: string | null, kind: OAuthNetwork['clientAuth']): oauth.ClientAuth {
  if (secret === null) return oauth.None();
  return kind === 'basic' ? basicOf(secret) : oauth.ClientSecretPost(secret);
}

/** The library also encodes `-` and `_`, which servers that decode nothing refuse. */
function basicOf(secret: string): oauth.ClientAuth {
  return (_as, { client_id }, _body, headers) => {
    const login = [client_id, secret].map(encodeURIComponent).join(':');
    headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`);
  };
}

/**
 * Without the challenge, for which the library would not read the error in the body. Without an ID token,
 * which nothing reads. Some networks leave out `token_type`.
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
  const tokens = JSON.stringify({ token_type: 'bearer', ...body, id_token: undefined });
  return new Response(isToken ? tokens : text, { status: response.status, headers });
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

const isUnknownClient = (error: unknown) =>
  error instanceof PlatformError && error.options.platformCode === 'invalid_client';

/** Of a refused refresh. All other codes are about the app or the server, so the login may still be good. */
const isInvalidGrant = (code: string) => code === 'invalid_grant';

function explain(
  error: unknown,
  {
    network,
    endsLogin = isInvalidGrant,
    secrets,
    lost,
  }: Pick<OAuthNetwork, 'network' | 'endsLogin'> & Pick<CallOptions, 'secrets' | 'lost'>,
): PlatformError {
  const isRefresh = lost === 'commit';
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
    if (!(cause instanceof Response) || cause.ok) return toSurprise(network, lost);
    const answer = { status: cause.status, headers: cause.headers, body: undefined };
    const verdict = isRefresh && cause.status < 429 ? 'unavailable' : undefined;
    return toRefusal({ network, kind: lost, answer, secrets, verdict });
  }
  return toTransportError(error, lost);
}
