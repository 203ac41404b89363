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
import { toTransportError } from '../transport-errors.ts';

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

interface Told<T> {
  data: T;
  headers: Headers;
}

interface Call<T> {
  /** All but commits, and what else must not be repeated blindly, such as a rotating refresh. */
  isRepeatable: boolean;
  path: string;
  /** Absent: a GET. */
  body?: unknown;
  token?: string | undefined;
  answer: z.ZodType<T>;
  signal: AbortSignal;
}

export function createSandboxPlatform({ fetch, apiUrl, publicUrl }: SandboxSettings): Platform {
  async function ask<T>(call: Call<T>): Promise<Told<T>> {
    const { isRepeatable, path, body, token, answer, signal } = call;
    const transport = (error: unknown) =>
      toTransportError(error, isRepeatable ? 'other' : 'commit', apiUrl);
    if (signal.aborted) throw new PlatformError('unavailable', 'Stopped before the call.');
    const response = await fetch(`${apiUrl}/api/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => {
      throw transport(error);
    });
    const text = await response.text().catch((error: unknown) => {
      throw transport(error);
    });
    const json = parse(text);
    if (!response.ok) throw toError(response, json, isRepeatable);
    const parsed = answer.safeParse(json);
    if (parsed.success) return { data: parsed.data, headers: response.headers };
    throw new PlatformError(
      isRepeatable ? 'unavailable' : 'unknown_outcome',
      'The sandbox gave an answer that makes no sense.',
    );
  }

  async function send<T>(call: Call<T>): Promise<T> {
    return (await ask(call)).data;
  }

  async function logIn(body: unknown, signal: AbortSignal): Promise<Connection> {
    const tokens = await send({ isRepeatable: true, path: 'token', body, answer: Tokens, signal });
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
      const call = { isRepeatable: false, path: 'token', body, answer: Tokens, signal };
      return { credentials: toCredentials(await send(call)), tokenExpiresAt: null };
    },

    async commit({ resultId, caption, replyTo, mediaUrls, ...target }: Target, signal) {
      const { data, headers } = await ask({
        isRepeatable: false,
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
        isRepeatable: true,
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
      await send({ isRepeatable: true, path: 'revoke', body, answer: z.unknown(), signal });
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

function toError(response: Response, json: unknown, isRepeatable: boolean): PlatformError {
  const { status } = response;
  const told = NetworkError.safeParse(json).data?.error;
  const message = told?.message ?? `The sandbox answered ${status}.`;
  const options = {
    platformCode: told?.code ?? String(status),
    providerError: { status, ...told },
  };
  if (status === 401) {
    const isRevoked = told?.code === 'token_revoked';
    return new PlatformError('reauthorize', message, { ...options, isRevoked });
  }
  if (status === 429) {
    const retryAfterMs = readSecondsMs(response.headers.get('retry-after'));
    return new PlatformError('rate_limited', message, {
      ...options,
      retryAfterMs,
      throttled: 'account',
    });
  }
  if (status === 503) return new PlatformError('unavailable', message, options);
  if (status >= 400 && status < 500) return new PlatformError('rejected', message, options);
  return new PlatformError(isRepeatable ? 'unavailable' : 'unknown_outcome', message, options);
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
