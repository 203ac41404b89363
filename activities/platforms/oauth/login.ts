// The consent, the import and the refresh of a network where a token leads to the accounts of its login.
import type { OAuth } from './client.ts';
import type { Tokens } from './tokens.ts';
import type { ConsentMethod, Credentials, GrantedAccount, Platform } from '../platform.ts';
import { wrongCredential } from '../wrong-credential.ts';

interface OAuthLogin extends Required<Pick<Platform, 'importTokens' | 'refresh' | 'canRefresh'>> {
  consent: ConsentMethod;
}

/** `scope`: null if the client that imports the tokens names none. */
type ListAccounts = (
  credentials: Credentials,
  signal: AbortSignal,
  scope: readonly string[] | null,
) => Promise<GrantedAccount[]>;

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
      if (instance !== null) {
        throw wrongCredential('server', 'is not used by this network', 'instance_not_supported');
      }
      const credentials = {
        access_token: accessToken,
        ...(refreshToken !== null && { refresh_token: refreshToken }),
      };
      const accounts = await listAccounts(credentials, signal, scope);
      return { credentials, tokenExpiresAt: expiresAt, scope: scope ?? [], accounts };
    },
    refresh: (login, signal) => oauth.refresh(login, signal),
    /** Some apps and logins get no refresh token. */
    canRefresh: ({ refresh_token }) => refresh_token !== undefined,
  };
}
