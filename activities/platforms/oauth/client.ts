// OAuth 2 with PKCE, by the library: the consent page, the exchange of its code, refresh and revocation.
import * as oauth from 'oauth4webapi';
import type { App } from '../../../schema/platforms/definition.ts';
import type { Begun, ConsentRequest, Fetch, Flow, Login } from '../platform.ts';
import { PlatformError } from '../platform-error.ts';
import { authOf } from './client-auth.ts';
import { explain, isOAuthRefusal, isUnknownClient, refusedConsent } from './refusals.ts';
import type { OAuthNetwork } from './settings.ts';
import { fetchWhole, toTokens, type Tokens } from './tokens.ts';

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
