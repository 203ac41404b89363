// The connector of the simulated network with OAuth 2.
import { z } from 'zod';
import {
  createOAuth,
  createOAuthLogin,
  type OAuth,
} from '../../../../activities/platforms/oauth/client.ts';
import type { Credentials, Fetch, Platform } from '../../../../activities/platforms/platform.ts';
import { publishedAs } from '../../../../activities/platforms/results.ts';
import type { App } from '../../../../schema/platforms/definition.ts';
import { createSend } from '../caller.ts';
import { simulatedDefinition, toUrl } from '../network.ts';

const Accounts = z.object({
  accounts: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      picture: z.string().optional(),
      problem: z.string().nullable(),
    }),
  ),
});
const Post = z.object({ id: z.string() });

export const oauthScopes = ['accounts', 'publish'];

interface Settings {
  fetch: Fetch;
  url: string;
  /** Used if a request brings no app. */
  client: { id: string; secret: string };
  /** Default: true. */
  needsRefreshToken?: boolean;
}

export function createOAuthPlatform({
  fetch,
  url,
  client,
  needsRefreshToken = true,
}: Settings): Platform {
  const send = createSend(fetch, url);
  const fixed: App = { id: 'app_fixed', clientId: client.id, clientSecret: client.secret };
  const withApp = <T extends { app: App | null }>(given: T) => ({
    ...given,
    app: given.app ?? fixed,
  });
  const network = createOAuth(fetch, {
    network: 'The network',
    authorizationEndpoint: `${url}/authorize`,
    tokenEndpoint: `${url}/token`,
    revocationEndpoint: `${url}/revoke`,
    clientAuth: 'basic',
    scopes: oauthScopes,
    needsRefreshToken,
  });

  const oauth: OAuth = {
    ...network,
    begin: (request) => network.begin(withApp(request)),
    complete: (query, request, ...rest) => network.complete(query, withApp(request), ...rest),
    refresh: (login, signal) => network.refresh(withApp(login), signal),
    revoke: (login, signal) => network.revoke(withApp(login), signal),
  };

  async function listAccounts(credentials: Credentials, signal: AbortSignal) {
    const call = { method: 'GET', path: '/accounts', mayRepeat: true } as const;
    const { accounts } = (await send({ ...call, credentials, answer: Accounts, signal })).body;
    return accounts.map(({ id, name, picture, problem }) => ({
      externalAccountId: id,
      accountName: name,
      pictureUrl: picture,
      kind: 'Page',
      problem,
    }));
  }

  const { consent, ...login } = createOAuthLogin(oauth, listAccounts);
  return {
    definition: { ...simulatedDefinition, scopes: oauthScopes },

    connect: [consent],

    ...login,

    async commit({ externalAccountId, caption, resultId, credentials }, signal) {
      const path = `/accounts/${externalAccountId}/posts`;
      const json = { text: caption, reference: resultId };
      const call = { path, mayRepeat: false, credentials, json, answer: Post, signal };
      const { id } = (await send(call)).body;
      return publishedAs(id, toUrl(id), 'public');
    },

    async reconcile({ externalAccountId, resultId, credentials }, signal) {
      const path = `/accounts/${externalAccountId}/posts?reference=${resultId}`;
      const call = { method: 'GET', path, mayRepeat: true, credentials, signal } as const;
      const { posts } = (await send({ ...call, answer: z.object({ posts: z.array(Post) }) })).body;
      return posts[0]
        ? publishedAs(posts[0].id, toUrl(posts[0].id), 'public')
        : { outcome: 'absent' };
    },

    revoke: (given, signal) => oauth.revoke(given, signal),
  };
}
