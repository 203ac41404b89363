// The connector of the simulated network with OAuth 2.
import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import type { Fetch, Grant, Platform } from '../../../../activities/platforms/platform.ts';
import { publishedAs } from '../../../../activities/platforms/results.ts';
import { toTransportError } from '../../../../activities/platforms/transport-errors.ts';
import type { App } from '../../../../schema/platforms/definition.ts';
import { createSend } from '../caller.ts';
import { simulatedDefinition, toUrl } from '../network.ts';

const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.int(),
  scope: z.string(),
});
const TokenError = z.object({ error: z.string(), error_description: z.string() });
const Accounts = z.object({
  accounts: z.array(z.object({ id: z.string(), name: z.string(), problem: z.string().nullable() })),
});
const Post = z.object({ id: z.string() });

export const oauthScopes = ['accounts', 'publish'];

interface Settings {
  fetch: Fetch;
  url: string;
  /** Used unless a request brings an app. */
  client: { id: string; secret: string };
}

export function createOAuthPlatform({ fetch, url, client }: Settings): Platform {
  const send = createSend(fetch, url);
  const fixed: App = { id: 'app_fixed', clientId: client.id, clientSecret: client.secret };

  async function askClient(
    path: string,
    form: Record<string, string>,
    signal: AbortSignal,
    { clientId, clientSecret }: App = fixed,
  ): Promise<string> {
    const login = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`;
    const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
    const body = new URLSearchParams(form);
    const init = { method: 'POST', headers: { authorization }, body, signal };
    const response = await fetch(`${url}${path}`, init).catch((error: unknown) => {
      throw toTransportError(error, 'other');
    });
    const text = await response.text();
    if (response.ok) return text;
    if (response.status >= 500) {
      throw new PlatformError('unavailable', `The network answered ${response.status}.`);
    }
    const { error, error_description } = TokenError.parse(JSON.parse(text));
    const options = { platformCode: error };
    const kind = form['grant_type'] === 'refresh_token' ? 'reauthorize' : 'rejected';
    throw new PlatformError(kind, `The network refused the login: ${error_description}`, options);
  }

  async function getTokens(form: Record<string, string>, signal: AbortSignal, app?: App) {
    const tokens = Tokens.parse(JSON.parse(await askClient('/token', form, signal, app)));
    const { access_token, refresh_token, expires_in, scope } = tokens;
    return {
      credentials: { access_token, refresh_token },
      tokenExpiresAt: new Date(Date.now() + expires_in * 1_000),
      scope: scope.split(' ').filter(Boolean),
    };
  }

  return {
    definition: { ...simulatedDefinition, scopes: oauthScopes },

    connect: [
      {
        kind: 'consent',
        async begin({ state, callbackUrl, app }) {
          const verifier = randomBytes(32).toString('base64url');
          const query = new URLSearchParams({
            response_type: 'code',
            client_id: (app ?? fixed).clientId,
            redirect_uri: callbackUrl,
            state,
            scope: oauthScopes.join(' '),
            code_challenge: hash('sha256', verifier, 'base64url'),
            code_challenge_method: 'S256',
          });
          return { url: `${url}/authorize?${query.toString()}`, flow: { verifier } };
        },

        async complete({ code, error }, { callbackUrl, flow, app }, signal): Promise<Grant> {
          if (code === undefined) {
            throw new PlatformError('rejected', `The network refused the login: ${error}.`);
          }
          const form = {
            grant_type: 'authorization_code',
            code,
            redirect_uri: callbackUrl,
            code_verifier: flow['verifier']!,
          };
          const login = await getTokens(form, signal, app ?? fixed);
          const { credentials } = login;
          const call = { method: 'GET', path: '/accounts', mayRepeat: true } as const;
          const { accounts } = (await send({ ...call, credentials, answer: Accounts, signal }))
            .body;
          return {
            ...login,
            accounts: accounts.map(({ id, name, problem }) => ({
              externalAccountId: id,
              accountName: name,
              problem,
            })),
          };
        },
      },
    ],

    async refresh({ credentials: { refresh_token }, app }, signal) {
      const form = { grant_type: 'refresh_token', refresh_token: refresh_token! };
      return getTokens(form, signal, app ?? fixed);
    },

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

    async revoke({ credentials: { refresh_token }, app }, signal) {
      await askClient('/revoke', { token: refresh_token! }, signal, app ?? fixed);
    },
  };
}
