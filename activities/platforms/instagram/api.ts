// The API of Instagram. Two hosts have this API, and an account uses the host where it logs in.
import { instagram } from '../../../schema/platforms/instagram.ts';
import { createGraphApi } from '../meta/graph.ts';
import { pageTokenOf } from '../meta/page-tokens.ts';
import type { Ask, OpenApi } from '../network-api.ts';
import type { Credentials, Fetch, Target } from '../platform.ts';
import { instagramErrors } from './errors.ts';

export const network = instagram.title;

export interface InstagramSettings {
  fetch: Fetch;
  apiUrl: string;
  consentUrl: string;
  tokenUrl: string;
  facebookApiUrl: string;
  facebookLoginUrl: string;
  version: string;
  scopes: string[];
  facebookScopes: string[];
  facebookConfigId?: string | undefined;
}

export interface InstagramApi {
  /** The host for accounts that log in at Instagram. */
  instagram: OpenApi;
  /** The same host without a version, for calls about tokens. */
  tokens: OpenApi;
  /** The host for accounts that log in at Facebook. */
  facebook: OpenApi;
}

export function createInstagramApi({
  fetch,
  apiUrl,
  facebookApiUrl,
  version,
}: InstagramSettings): InstagramApi {
  const openAt = (url: string) => createGraphApi(fetch, { network, errors: instagramErrors, url });
  return {
    instagram: openAt(`${apiUrl}/${version}`),
    tokens: openAt(apiUrl),
    facebook: openAt(`${facebookApiUrl}/${version}`),
  };
}

/** A login at Instagram has one token, which is extended. The tokens of a login at Facebook don't expire. */
export const isOfInstagram = ({ access_token }: Credentials): boolean => access_token !== undefined;

/** The calls for an account. Throws if the login has no token for the account. */
export function openAccount(
  api: InstagramApi,
  { credentials, externalAccountId }: Pick<Target, 'credentials' | 'externalAccountId'>,
  signal: AbortSignal,
): Ask {
  if (isOfInstagram(credentials)) return api.instagram(credentials, signal);
  return api.facebook({ access_token: pageTokenOf(credentials, externalAccountId) }, signal);
}
