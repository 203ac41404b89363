// The sandbox network, spoken to over HTTP like any other.
import { z } from 'zod';
import { sandbox, SandboxHandle } from '../../../schema/platforms/sandbox.ts';
import type {
  Connection,
  Credentials,
  Fetch,
  Platform,
  Published,
  Target,
  Throttle,
} from '../platform.ts';
import { PlatformError } from '../platform-error.ts';
import { callNetwork, isSuccess, type CallKind } from '../json-client.ts';
import { toRefusal, toSurprise, type Verdict } from '../refusal.ts';

export interface SandboxSettings {
  fetch: Fetch;
  /** The network's base address, as we reach it: `http://127.0.0.1:4000/sandbox`. */
  apiUrl: string;
  /** The same as browsers reach it. */
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

/** By the network's own codes; `unavailable` is sent before a post is taken. */
const verdicts: Record<string, Verdict> = { token_revoked: 'revoked', unavailable: 'unavailable' };

interface Call<T> {
  /** A refresh rotates the token, so it is no call to repeat without a check. */
  kind: CallKind;
  path: string;
  /** Absent: a GET. */
  body?: unknown;
  token?: string | undefined;
  answer: z.ZodType<T>;
  signal: AbortSignal;
}

export function createSandboxPlatform({ fetch, apiUrl, publicUrl }: SandboxSettings): Platform {
  async function ask<T>(call: Call<T>): Promise<{ data: T; headers: Headers }> {
    const { kind, path, body, token, signal } = call;
    const answer = await callNetwork(fetch, {
      url: `${apiUrl}/api/${path}`,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      json: body,
      kind,
      signal,
    });
    if (!isSuccess(answer)) {
      const { code, message } = NetworkError.safeParse(answer.body).data?.error ?? {};
      const secrets = token === undefined ? [] : [token];
      throw toRefusal({ network: 'The sandbox', kind, answer, code, message, verdicts, secrets });
    }
    const parsed = call.answer.safeParse(answer.body);
    if (!parsed.success) throw toSurprise('The sandbox', kind);
    return { data: parsed.data, headers: answer.headers };
  }

  async function send<T>(call: Call<T>): Promise<T> {
    return (await ask(call)).data;
  }

  async function logIn(body: unknown, signal: AbortSignal): Promise<Connection> {
    const tokens = await send({ kind: 'other', path: 'token', body, answer: Tokens, signal });
    return {
      externalAccountId: tokens.handle,
      accountName: tokens.handle,
      credentials: toCredentials(tokens),
      scope: ['post'],
      tokenExpiresAt: null,
    };
  }

  return {
    ...sandbox,

    connect: {
      credentials: z.strictObject({ handle: SandboxHandle }),
      run: ({ handle }, signal) => logIn({ grant_type: 'handle', handle }, signal),
    },

    consent: {
      authorizeUrl: ({ state, callbackUrl }) =>
        `${publicUrl}/consent?${new URLSearchParams({ state, callback_url: callbackUrl }).toString()}`,
      async complete(query, _request, signal) {
        if (!query['code']) throw new PlatformError('rejected', 'The sandbox sent no code.');
        return logIn({ grant_type: 'code', code: query['code'] }, signal);
      },
    },

    async refresh({ refresh_token }, signal) {
      const body = { grant_type: 'refresh_token', refresh_token };
      const call = { kind: 'commit' as const, path: 'token', body, answer: Tokens, signal };
      return { credentials: toCredentials(await send(call)), tokenExpiresAt: null };
    },

    async commit({ resultId, caption, replyTo, mediaUrls, ...target }: Target, signal) {
      const { data, headers } = await ask({
        kind: 'commit',
        path: 'posts',
        body: {
          caption,
          reference: resultId,
          ...(replyTo !== null && { reply_to: replyTo }),
          ...(mediaUrls.length > 0 && { media_urls: mediaUrls }),
          ...target.platformOptions,
        },
        token: target.credentials['access_token'],
        answer: NetworkPost,
        signal,
      });
      const throttle = readThrottle(headers);
      return { outcome: 'published', published: toPublished(data), throttle };
    },

    async reconcile({ resultId, credentials }: Target, signal) {
      const { posts } = await send({
        kind: 'other',
        path: `posts?${new URLSearchParams({ reference: resultId }).toString()}`,
        token: credentials['access_token'],
        answer: NetworkPosts,
        signal,
      });
      // Newest first: the oldest is the one that every look finds.
      const post = posts.at(-1);
      return post ? { outcome: 'published', published: toPublished(post) } : { outcome: 'absent' };
    },

    async revoke({ access_token }, signal) {
      const body = { token: access_token };
      await send({ kind: 'other', path: 'revoke', body, answer: z.unknown(), signal });
    },
  };
}

function toCredentials({
  handle,
  access_token,
  refresh_token,
}: z.infer<typeof Tokens>): Credentials {
  return { handle, access_token, refresh_token };
}

function toPublished({ id, url }: z.infer<typeof NetworkPost>): Published {
  return { externalId: id, url };
}

/** What the account may not do for a while, told with a post that was taken. */
function readThrottle(headers: Headers): Throttle | undefined {
  const resetMs = readSecondsMs(headers.get('x-ratelimit-reset'));
  if (headers.get('x-ratelimit-remaining') !== '0' || resetMs === undefined) return undefined;
  return { scope: 'account', waitMs: resetMs };
}

/** Counted from now: the sandbox tells no times as dates. */
function readSecondsMs(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) * 1_000 : undefined;
}
