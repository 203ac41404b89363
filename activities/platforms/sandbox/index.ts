// The sandbox network, called over HTTP like any other network.
import { z } from 'zod';
import { sandbox, SandboxHandle } from '../../../schema/platforms/sandbox.ts';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi, type ApiCall } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch, Grant, Platform } from '../platform.ts';
import { publishedAs } from '../results.ts';
import type { Explanation, Verdict } from '../refusal.ts';

export interface SandboxSettings {
  fetch: Fetch;
  /** The network's base URL for the server: `http://127.0.0.1:4000/sandbox`. */
  apiUrl: string;
  /** The network's base URL for browsers. */
  publicUrl: string;
}

const Tokens = z.object({
  handle: z.string(),
  access_token: z.string(),
  refresh_token: z.string(),
});
const NetworkPost = z.object({ id: z.string(), url: z.string() });
const NetworkPosts = z.object({ posts: z.array(NetworkPost) });
const NetworkError = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** By the network's own codes. It sends `unavailable` before it accepts a post. */
const verdicts = new Map<string | undefined, Verdict>([
  ['token_revoked', 'revoked'],
  ['unavailable', 'unavailable'],
]);

export function createSandboxPlatform({ fetch, apiUrl, publicUrl }: SandboxSettings): Platform {
  const open = createApi(fetch, {
    network: 'The sandbox',
    open: ({ access_token: token = '' }) => ({
      url: `${apiUrl}/api/`,
      headers: token ? { authorization: `Bearer ${token}` } : undefined,
      secrets: [token],
    }),
    readRefusal,
  });

  async function getTokens(json: object, signal: AbortSignal, call: ApiCall = {}) {
    return (await open({}, signal)('token', Tokens, { ...call, json })).body;
  }

  async function logIn(json: object, signal: AbortSignal): Promise<Grant> {
    const credentials = await getTokens(json, signal);
    const { handle } = credentials;
    const account = { externalAccountId: handle, accountName: handle, problem: null };
    return { credentials, scope: ['post'], tokenExpiresAt: null, accounts: [account] };
  }

  return {
    definition: sandbox,

    connect: [
      {
        kind: 'consent',
        async begin({ state, callbackUrl }) {
          const query = new URLSearchParams({ state, callback_url: callbackUrl });
          return { url: `${publicUrl}/consent?${query.toString()}`, flow: {} };
        },
        async complete(query, _request, signal) {
          if (!query['code']) throw new PlatformError('rejected', 'The sandbox sent no code.');
          return logIn({ grant_type: 'code', code: query['code'] }, signal);
        },
      },
      {
        kind: 'form',
        fields: z.strictObject({ handle: SandboxHandle }),
        run: ({ handle }, signal) => logIn({ grant_type: 'handle', handle }, signal),
      },
    ],

    /** Counts as a commit: it rotates the token, so it must not be repeated without a check. */
    async refresh({ credentials: { refresh_token } }, signal) {
      const json = { grant_type: 'refresh_token', refresh_token };
      return {
        credentials: await getTokens(json, signal, { kind: 'commit' }),
        tokenExpiresAt: null,
      };
    },

    async commit({ resultId, credentials, caption, replyTo, platformOptions }, signal) {
      const json = {
        caption,
        reference: resultId,
        ...(replyTo !== null && { reply_to: replyTo }),
        ...platformOptions,
      };
      const call = { kind: 'commit', json } as const;
      const { body, throttle } = await open(credentials, signal)('posts', NetworkPost, call);
      return { ...publishedAs(body.id, body.url, 'public'), throttle };
    },

    async reconcile({ resultId, credentials }, signal) {
      const call = { query: { reference: resultId } };
      const { posts } = (await open(credentials, signal)('posts', NetworkPosts, call)).body;
      // Newest first. Every check finds the oldest one.
      const post = posts.at(-1);
      return post ? publishedAs(post.id, post.url, 'public') : { outcome: 'absent' };
    },

    async revoke({ credentials: { access_token } }, signal) {
      await open({}, signal)('revoke', z.unknown(), { json: { token: access_token } });
    },
  };
}

function readRefusal({ body }: NetworkAnswer): Explanation {
  const { code, message } = NetworkError.safeParse(body).data?.error ?? {};
  return { code, message, verdict: verdicts.get(code) };
}
