// The client of a signed-in browser: one cache, fed by requests and by streams.
import { Client, fetchExchange, mapExchange, subscriptionExchange } from '@urql/core';
import { cacheExchange, type Cache, type UpdateResolver } from '@urql/exchange-graphcache';
import { readServerTime } from './clock.ts';
import { isUnauthorized } from './problem.ts';
import { createRevisionExchange } from './revisions.ts';
import { openSocket } from './socket.ts';

export interface Session {
  client: Client;
  close(): void;
}

/** `onSignedOut` is called when the session has ended, in this tab or in another one. */
export function openSession(onSignedOut: () => void): Session {
  const socket = openSocket(onSignedOut);
  const client = new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetch: fetchWithSession,
    exchanges: [
      mapExchange({ onError: (error) => isUnauthorized(error) && onSignedOut() }),
      cacheExchange({ updates: { Subscription: forgetDeleted } }),
      createRevisionExchange(),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: (request) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe(request, sink) }),
        }),
      }),
    ],
  });
  return { client, close: socket.close };
}

/** Other origins can't send this header, so they can't act with the browser's session. */
export const sessionHeaders = { 'X-Fanfare-Session': '1' };

async function fetchWithSession(url: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(sessionHeaders)) headers.set(name, value);
  const response = await fetch(url, { ...init, headers });
  readServerTime(response.headers.get('Date'));
  return response;
}

/** A deleted subject must leave the lists that show it. */
const forget =
  (typename: string, field: string, key: string): UpdateResolver =>
  (result, _args, cache: Cache) => {
    const update = result[field] as Record<string, unknown> | null;
    if (update?.['change'] !== 'deleted' && update?.['change'] !== 'erased') return;
    cache.invalidate({ __typename: typename, id: String(update[key]) });
  };

const forgetDeleted = {
  postUpdated: forget('Post', 'postUpdated', 'postId'),
  accountUpdated: forget('Account', 'accountUpdated', 'accountId'),
  webhookUpdated: forget('Webhook', 'webhookUpdated', 'webhookId'),
};
