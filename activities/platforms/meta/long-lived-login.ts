// The login at Threads, and Instagram's own login. After the consent, the token is exchanged for a long-lived
// token.
import type { OpenApi } from '../network-api.ts';
import { createOAuth } from '../oauth/client.ts';
import type { AccountChecks, ConsentMethod, Fetch, Grant, Platform } from '../platform.ts';
import { requireNoServer } from '../wrong-credential.ts';
import { withOAuthErrors } from './graph.ts';
import { createLongLivedTokens, type LongLived } from './long-lived-tokens.ts';

interface LoginSettings {
  /** Title of the network. */
  network: string;
  /** Prefix of the grant types. */
  prefix: string;
  /** The API for calls without a version. */
  root: OpenApi;
  consentUrl: string;
  tokenUrl: string;
  scopes: readonly string[];
}

/** Asks whose login it is. `scope`: null if unknown. */
type ToGrant = (
  login: LongLived,
  scope: readonly string[] | null,
  signal: AbortSignal,
) => Promise<Grant>;

export interface LongLivedLogin
  extends Required<Pick<Platform, 'importTokens' | 'refresh'>>, Pick<AccountChecks, 'inspect'> {
  consent: ConsentMethod;
}

export function createLongLivedLogin(
  fetch: Fetch,
  { network, prefix, root, consentUrl, tokenUrl, scopes }: LoginSettings,
  toGrant: ToGrant,
): LongLivedLogin {
  const tokens = createLongLivedTokens(network, prefix, root);
  const oauth = createOAuth(withOAuthErrors(fetch), {
    network,
    authorizationEndpoint: consentUrl,
    tokenEndpoint: tokenUrl,
    clientAuth: 'post',
    scopes,
    hasPkce: false,
  });
  return {
    consent: {
      kind: 'consent',
      begin: (request, signal) => oauth.begin(request, signal),
      complete: (query, request, signal) =>
        oauth.complete(
          query,
          request,
          async ({ credentials, scope }) => {
            const secret = request.app?.clientSecret ?? '';
            const login = await tokens.exchange(credentials.access_token, secret, signal);
            return toGrant(login, scope, signal);
          },
          signal,
        ),
    },

    async importTokens({ accessToken, expiresAt, scope, instance }, signal) {
      requireNoServer(instance);
      const login = { credentials: { access_token: accessToken }, tokenExpiresAt: expiresAt };
      return toGrant(login, scope, signal);
    },

    refresh: ({ credentials }, signal) => tokens.refresh(credentials, signal),

    inspect({ credentials, scope }, signal) {
      const { access_token = '' } = credentials;
      const login = { credentials: { ...credentials, access_token }, tokenExpiresAt: null };
      return toGrant(login, scope, signal);
    },
  };
}
