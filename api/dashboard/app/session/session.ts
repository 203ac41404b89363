// Who is signed in: the key of the browser's session, and what it may do.
import { createContext, useContext } from 'react';
import { graphql, type ResultOf, type Scope } from '../api/schema.ts';

export const CurrentKey = graphql(`
  query CurrentKey {
    currentApiKey {
      apiKey {
        id
        name
        prefix
        environment
        scopes
        expiresAt
      }
      project {
        name
      }
    }
  }
`);

export type SignedIn = NonNullable<ResultOf<typeof CurrentKey>['currentApiKey']>;

export interface SessionValue extends SignedIn {
  /** Returns what is wrong, or undefined. */
  signOut(): Promise<string | undefined>;
}

export const SessionContext = createContext<SessionValue | undefined>(undefined);

export function useSession(): SessionValue {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This page is shown to signed-in people only.');
  return session;
}

/** Scopes as settings of keys name them. */
const scopeNames: Record<Scope, string> = {
  POSTS_READ: 'posts:read',
  POSTS_DRAFT: 'posts:draft',
  POSTS_WRITE: 'posts:write',
  ACCOUNTS_READ: 'accounts:read',
  ACCOUNTS_WRITE: 'accounts:write',
  WEBHOOKS_READ: 'webhooks:read',
  WEBHOOKS_WRITE: 'webhooks:write',
  KEYS_WRITE: 'keys:write',
};
export const scopes = Object.keys(scopeNames) as readonly Scope[];
export const scopeName = (scope: Scope): string => scopeNames[scope];

export function useScope(scope: Scope): boolean {
  return useSession().apiKey.scopes.includes(scope);
}
