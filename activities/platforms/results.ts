// Parts of results that several networks share.
import type { Grant, ProviderState } from './platform.ts';

export const publishedAs = (
  externalId: string | null,
  url: string | null,
  visibility: string | null,
) => ({ outcome: 'published', published: { externalId, url, visibility } }) as const;

export const preparedAs = (state: ProviderState) => ({ outcome: 'prepared', state }) as const;

/** Part of a grant whose credentials have no scopes and never expire. */
export const permanent: Pick<Grant, 'scope' | 'tokenExpiresAt'> = {
  scope: [],
  tokenExpiresAt: null,
};
