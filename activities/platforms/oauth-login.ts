// The consent, the import and the refresh of a network where a token leads to the accounts of its login.
import type { OAuth, Tokens } from './oauth.ts';
import type { ConsentWay, GrantedAccount, ImportedTokens, Platform } from './platform.ts';

interface OAuthLogin extends Required<Pick<Platform, 'importTokens' | 'refresh' | 'canRefresh'>> {
  consent: ConsentWay;
}

/** `asked`: scopes to assume of imported tokens whose client names none. */
export function createOAuthLogin(
  oauth: OAuth,
  asked: readonly string[],
  listAccounts: (login: Tokens, signal: AbortSignal) => Promise<GrantedAccount[]>,
): OAuthLogin {
  const toGrant = async (login: Tokens, signal: AbortSignal) => ({
    ...login,
    accounts: await listAccounts(login, signal),
  });
  return {
    consent: {
      kind: 'consent',
      begin: (request, signal) => oauth.begin(request, signal),
      complete: (query, request, signal) =>
        oauth.complete(query, request, (login) => toGrant(login, signal), signal),
    },
    importTokens: (tokens, signal) => toGrant(toLogin(tokens, asked), signal),
    refresh: (login, signal) => oauth.refresh(login, signal),
    /** Some apps and logins get no refresh token. */
    canRefresh: ({ refresh_token }) => refresh_token !== undefined,
  };
}

function toLogin(
  { accessToken, refreshToken, expiresAt, scope }: ImportedTokens,
  asked: readonly string[],
): Tokens {
  return {
    credentials: {
      access_token: accessToken,
      ...(refreshToken !== null && { refresh_token: refreshToken }),
    },
    tokenExpiresAt: expiresAt,
    scope: scope ?? [...asked],
  };
}
