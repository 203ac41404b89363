// How the simulated networks' connectors make calls. A call returns an answer, or throws a PlatformError.
import { z } from 'zod';
import type {
  Credentials,
  Fetch,
  Platform,
  RefreshedCredentials,
} from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { toTransportError } from '../../../activities/platforms/transport-errors.ts';

interface Call<T> {
  path: string;
  method?: 'POST' | 'PUT' | 'GET';
  /** Whether the call may be sent again without a check: all calls except commits and rotating refreshes. */
  mayRepeat: boolean;
  credentials?: Credentials;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  upload?: { body: ReadableStream<Uint8Array>; bytes: number };
  /** Statuses other than 200 and 201 that count as answers. */
  accepts?: number[];
  answer: z.ZodType<T>;
  signal: AbortSignal;
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export type Send = <T>(call: Call<T>) => Promise<Answer<T>>;

const NetworkError = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const Refreshed = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.int(),
});

export function createSend(fetch: Fetch, url: string): Send {
  return async (call) => {
    const toError = (error: unknown) =>
      toTransportError(error, call.mayRepeat ? 'other' : 'commit');
    const response = await fetch(`${url}${call.path}`, toInit(call)).catch((error: unknown) => {
      throw toError(error);
    });
    const text = await response.text().catch((error: unknown) => {
      throw toError(error);
    });
    const json = parse(text);
    const isAnswer = response.ok || call.accepts?.includes(response.status);
    if (!isAnswer) throw toRefusal(response, json, call);
    const parsed = call.answer.safeParse(json);
    if (parsed.success) {
      return { status: response.status, headers: response.headers, body: parsed.data };
    }
    throw new PlatformError(unlessRepeatable(call), 'The answer makes no sense.');
  };
}

/** Makes a refresh with rotating tokens, as in OAuth. */
export function createRefresh(send: Send): NonNullable<Platform['refresh']> {
  return async ({ credentials: { refresh_token } }, signal): Promise<RefreshedCredentials> => {
    const form = { grant_type: 'refresh_token', refresh_token: refresh_token! };
    const call = { path: '/oauth/token', mayRepeat: false, form, answer: Refreshed, signal };
    const { body } = await send(call).catch((error: unknown) => {
      const isGone =
        error instanceof PlatformError && error.options.platformCode === 'invalid_grant';
      throw isGone ? new PlatformError('reauthorize', 'The login has ended.') : error;
    });
    return {
      credentials: { access_token: body.access_token, refresh_token: body.refresh_token },
      tokenExpiresAt: new Date(Date.now() + body.expires_in * 1_000),
    };
  };
}

function toInit({ method = 'POST', credentials, json, form, upload, ...call }: Call<unknown>) {
  return {
    method,
    headers: {
      ...(credentials && { authorization: `Bearer ${credentials['access_token']}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(upload && {
        'content-type': 'application/octet-stream',
        'content-length': String(upload.bytes),
      }),
      ...call.headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(upload && { body: upload.body, duplex: 'half' as const }),
    ...(form && { body: new URLSearchParams(form) }),
    redirect: 'manual' as const,
    signal: call.signal,
  };
}

function toRefusal(response: Response, json: unknown, call: Call<unknown>): PlatformError {
  const { status } = response;
  const error = NetworkError.safeParse(json).data?.error;
  const message = withoutSecrets(error?.message ?? `The network answered ${status}.`, call);
  const platformCode = error?.code ?? String(status);
  const options = { platformCode, providerError: { status, code: platformCode, message } };
  if (status === 401) {
    const isRevoked = error?.code === 'revoked';
    return new PlatformError('reauthorize', message, { ...options, isRevoked });
  }
  if (status === 429) {
    const seconds = response.headers.get('retry-after');
    const retryAfterMs = seconds === null ? undefined : Number(seconds) * 1_000;
    return new PlatformError('rate_limited', message, { ...options, retryAfterMs });
  }
  if (status === 503) return new PlatformError('unavailable', message, options);
  if (status < 500) return new PlatformError('rejected', message, options);
  return new PlatformError(unlessRepeatable(call), message, options);
}

function withoutSecrets(message: string, { credentials, form }: Call<unknown>): string {
  const secrets = [...Object.values(credentials ?? {}), form?.['refresh_token'] ?? ''];
  return secrets.filter(Boolean).reduce((text, secret) => text.replaceAll(secret, '…'), message);
}

const unlessRepeatable = ({ mayRepeat }: Call<unknown>) =>
  mayRepeat ? 'unavailable' : 'unknown_outcome';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
