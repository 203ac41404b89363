// The credentials of a login at Facebook: the token of a page for each account that the login reaches. The token acts
// for the page, and for the Instagram account that is linked to the page.
import { PlatformError } from '../platform-error.ts';
import type { Credentials } from '../platform.ts';

const nameOf = (accountId: string) => `page_token_${accountId}`;

/** `tokens`: pairs of an account's ID and its token. */
export function toPageTokens(tokens: Iterable<readonly [string, string]>): Credentials {
  return Object.fromEntries(Array.from(tokens, ([id, token]) => [nameOf(id), token]));
}

export const listAccountIds = (credentials: Credentials): string[] =>
  Object.keys(credentials).map((name) => name.slice(nameOf('').length));

/** Throws if the login has no token for the account. */
export function pageTokenOf(credentials: Credentials, accountId: string): string {
  const token = credentials[nameOf(accountId)];
  if (token !== undefined) return token;
  const message = 'The login has no token for this account. Connect the account again.';
  throw new PlatformError('reauthorize', message, { isRevoked: true });
}
