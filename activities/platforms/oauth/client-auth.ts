// How an app proves to a network that it has its secret.
import * as oauth from 'oauth4webapi';
import { openKeyPair } from '../key-pairs.ts';
import type { OAuthNetwork } from './settings.ts';

export async function authOf(
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
