// OAuth 2 with PKCE, by the library: the consent page, the exchange of its code, refresh, revocation and import.
import * as oauth from 'oauth4webapi';
import type { App } from '../../../schema/platforms/definition.ts';
import type {
  AccountChecks,
  Begun,
  ConsentMethod,
  ConsentRequest,
  Credentials,
  Fetch,
  Flow,
  GrantedAccount,
  Login,
  Platform,
} from '../platform.ts';
import { hasCode, PlatformError } from '../platform-error.ts';
import { requireNoServer } from '../wrong-credential.ts';
import {
  ask,
  isOAuthRefusal,
  sendRevocation,
  toTokens,
  type OAuthNetwork,
  type Tokens,
} from './request.ts';

export interface OAuth {
  /** `signal`: aborts the pushed request. */
  begin(request: ConsentRequest, signal?: AbortSignal): Promise<Begun>;
  /**
   * If `use` throws, the login is revoked, because nobody stores it, unless that would end other logins.
   * Errors of the revocation are ignored.
   */
  complete<T>(
    query: Record<string, string>,
    request: ConsentRequest & { flow: Flow },
    use: (login: Tokens) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Keeps the refresh token if the network returns no new one. */
  refresh(login: Login, signal: AbortSignal): Promise<Tokens>;
  revoke(login: Login, signal: AbortSignal): Promise<void>;
  /** Whether the server knows the app. Asks for a token of the app alone: RFC 6749, section 4.4. */
  isKnown(app: App, signal: AbortSignal): Promise<boolean>;
}

const revokeTimeoutMs = 5_000;

/** Every call throws only PlatformErrors. */
export function createOAuth(fetch: Fetch, settings: OAuthNetwork): OAuth {
  const { network, issuer, scopes, scopeSeparator = ' ', hasPkce = true } = settings;
  const { clientIdName = 'client_id' } = settings;
  const endpoints = { ...settings, fetch };
  const server: oauth.AuthorizationServer = {
    issuer: issuer ?? new URL(settings.tokenEndpoint).origin,
    token_endpoint: settings.tokenEndpoint,
    ...(settings.pushedRequestEndpoint && {
      pushed_authorization_request_endpoint: settings.pushedRequestEndpoint,
    }),
    ...(settings.revocationEndpoint && { revocation_endpoint: settings.revocationEndpoint }),
  };

  function requireApp(app: App | null): App {
    if (app) return app;
    throw new PlatformError('unavailable', `The app that made this ${network} login is unknown.`);
  }

  /** Returns the reference to the request. */
  function push(
    app: App,
    parameters: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    return ask(
      endpoints,
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
    const first = settings.revokesByAccessToken ? access_token : refresh_token;
    const tokens = settings.endsTokensAlone ? [first, access_token] : [first];
    for (const token of new Set(tokens)) {
      await ask(
        endpoints,
        { app: requireApp(app), signal, secrets: [access_token, refresh_token] },
        (client, auth, options) => sendRevocation(server, client, auth, token, options),
        (_, response) => oauth.processRevocationResponse(response),
      );
    }
  }

  return {
    async begin({ state, callbackUrl, app: given }, signal) {
      const verifier = oauth.generateRandomCodeVerifier();
      const url = new URL(settings.authorizationEndpoint);
      const app = requireApp(given);
      const client_id = app.clientId;
      const asked = {
        response_type: 'code',
        [clientIdName]: client_id,
        redirect_uri: callbackUrl,
        scope: scopes.join(scopeSeparator),
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
        const message = `The answer to this login doesn't come from ${issuer}.`;
        throw new PlatformError('rejected', message);
      }
      const verifier = flow['verifier']!;
      const callback = new URLSearchParams({ code, state });
      const answer = await ask(
        endpoints,
        { app: requireApp(app), signal, secrets: [code, verifier] },
        (client, auth, options) => {
          const checked = oauth.validateAuthResponse(server, client, callback, state);
          return oauth.authorizationCodeGrantRequest(
            server,
            client,
            auth,
            checked,
            callbackUrl,
            hasPkce ? verifier : oauth.nopkce,
            { ...options, additionalParameters: settings.codeParameters ?? {} },
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
        if (settings.revocationEndpoint !== undefined && !settings.revokesAll) {
          // A new signal, since `signal` may be what ended `use`.
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
        endpoints,
        { app: requireApp(app), signal, secrets: [access_token, refresh_token], isRefresh: true },
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
          endpoints,
          { app, signal, secrets: [] },
          (client, auth, options) => {
            const scope = scopes.join(' ');
            return oauth.clientCredentialsGrantRequest(server, client, auth, { scope }, options);
          },
          (client, response) => oauth.processClientCredentialsResponse(server, client, response),
        );
        return true;
      } catch (error) {
        if (hasCode(error, 'invalid_client')) return false;
        // After another refusal, such as `unsupported_grant_type`, the server may still know the app.
        if (isOAuthRefusal(error)) return true;
        throw error;
      }
    },
  };
}

/** The network sent the user back without a code: RFC 6749, section 4.1.2.1. */
function refusedConsent(network: string, { error, error_description }: Record<string, string>) {
  const words = error_description ?? error ?? 'it gave no code';
  return new PlatformError('rejected', `${network} refused the login: ${words}`, {
    platformCode: error,
  });
}

interface OAuthLogin
  extends
    Required<Pick<Platform, 'importTokens' | 'refresh' | 'canRefresh'>>,
    Pick<AccountChecks, 'inspect'> {
  consent: ConsentMethod;
}

/** `scope`: null if a client imports the tokens without their scopes. */
type ListAccounts = (
  credentials: Credentials,
  signal: AbortSignal,
  scope: readonly string[] | null,
) => Promise<GrantedAccount[]>;

/** For a network where a token leads to the accounts of its login. */
export function createOAuthLogin(oauth: OAuth, listAccounts: ListAccounts): OAuthLogin {
  const toGrant = async (login: Tokens, signal: AbortSignal) => ({
    ...login,
    accounts: await listAccounts(login.credentials, signal, login.scope),
  });
  return {
    consent: {
      kind: 'consent',
      begin: (request, signal) => oauth.begin(request, signal),
      complete: (query, request, signal) =>
        oauth.complete(query, request, (login) => toGrant(login, signal), signal),
    },
    async importTokens({ accessToken, refreshToken, expiresAt, scope, instance }, signal) {
      requireNoServer(instance);
      const credentials = {
        access_token: accessToken,
        ...(refreshToken !== null && { refresh_token: refreshToken }),
      };
      const accounts = await listAccounts(credentials, signal, scope);
      return { credentials, tokenExpiresAt: expiresAt, scope: scope ?? [], accounts };
    },
    inspect: async ({ credentials, scope }, signal) => ({
      scope: [...(scope ?? [])],
      accounts: await listAccounts(credentials, signal, scope),
    }),
    refresh: (login, signal) => oauth.refresh(login, signal),
    /** Some apps and logins get no refresh token. */
    canRefresh: ({ refresh_token }) => refresh_token !== undefined,
  };
}
