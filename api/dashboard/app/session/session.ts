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
  signOut(): Promise<void>;
}

export const SessionContext = createContext<SessionValue | undefined>(undefined);

export function useSession(): SessionValue {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This page is shown to signed-in people only.');
  return session;
}

/** The name of a scope in settings of keys: `posts:read`. */
export const scopeName = (scope: Scope): string => scope.toLowerCase().replace('_', ':');

export function useScope(scope: Scope): boolean {
  return useSession().apiKey.scopes.includes(scope);
}
