// Parts of results that several networks share.
import type { Connection } from './platform.ts';

export const publishedAs = (externalId: string, url: string | null) =>
  ({ outcome: 'published', published: { externalId, url } }) as const;

/** For credentials without scopes that never expire. */
export const permanent: Pick<Connection, 'scope' | 'tokenExpiresAt'> = {
  scope: [],
  tokenExpiresAt: null,
};
