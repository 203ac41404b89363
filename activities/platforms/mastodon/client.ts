// Calls to a Mastodon server: their answers checked, their errors mapped.
import { z } from 'zod';
import { callNetwork, isSuccess, type CallKind, type NetworkAnswer } from '../json-client.ts';
import { readWaitMs, type PlatformError } from '../platform-error.ts';
import type { Credentials, Fetch, Throttle } from '../platform.ts';
import { toRefusal, toSurprise } from '../refusal.ts';

export interface Call<T> {
  /** `server` and `access_token`. */
  credentials: Credentials;
  path: string;
  kind: CallKind;
  json?: unknown;
  headers?: Record<string, string>;
  answer: z.ZodType<T>;
  signal: AbortSignal;
}

/** Answers with a 2xx that can be read, or throws a PlatformError. */
export type Send = <T>(call: Call<T>) => Promise<{ body: T; headers: Headers }>;

export function createSend(fetch: Fetch): Send {
  return async ({ credentials, path, headers, answer: schema, ...call }) => {
    const { server = '', access_token: token = '' } = credentials;
    const answer = await callNetwork(fetch, {
      ...call,
      url: `${server}${path}`,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    if (!isSuccess(answer)) throw toError(answer, call.kind, token);
    const parsed = schema.safeParse(answer.body);
    if (!parsed.success) throw toSurprise('Mastodon', call.kind);
    return { body: parsed.data, headers: answer.headers };
  };
}

/**
 * The 403 of a login rather than of a post. Never translated.
 * @see https://docs.joinmastodon.org/methods/accounts/#403-forbidden
 */
const endsAccess = /^(This action is outside the authorized scopes$|Your login is )/;

/** The only codes are HTTP's. Tokens don't expire, so a token that is refused was revoked. */
function toError(answer: NetworkAnswer, kind: CallKind, token: string): PlatformError {
  const message = z.object({ error: z.string() }).safeParse(answer.body).data?.error;
  return toRefusal({
    network: 'Mastodon',
    kind,
    answer,
    code: String(answer.status),
    message,
    verdicts: { 401: 'revoked', 403: endsAccess.test(message ?? '') ? 'revoked' : 'rejected' },
    secrets: [token],
    retryAfterMs: readResetMs(answer.headers),
  });
}

/** What is left of the account's limit, told with a post that was taken. */
export function readThrottle(headers: Headers): Throttle | undefined {
  const waitMs = readWaitMs(readResetMs(headers));
  if (headers.get('x-ratelimit-remaining') !== '0' || waitMs === undefined) return undefined;
  return { scope: 'account', waitMs };
}

/** @see https://docs.joinmastodon.org/api/rate-limits/ */
function readResetMs(headers: Headers): number | undefined {
  const resetsAt = Date.parse(headers.get('x-ratelimit-reset') ?? '');
  return Number.isNaN(resetsAt) ? undefined : resetsAt - serverNow(headers);
}

/** By the server's own clock. */
export function serverNow(headers: Headers): number {
  return Date.parse(headers.get('date') ?? '') || Date.now();
}
