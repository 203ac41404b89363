// Calls to a network's JSON API for one account: checks the answer, maps a refusal, refuses foreign upload addresses.
import type { z } from 'zod';
import {
  callNetwork,
  isSuccess,
  type CallKind,
  type NetworkAnswer,
  type NetworkCall,
} from './json-client.ts';
import { PlatformError } from './platform-error.ts';
import type { Credentials, Fetch, Throttle } from './platform.ts';
import { readThrottle } from './rate-limit-headers.ts';
import { toRefusal, toUnexpectedAnswer, type Explanation } from './refusal.ts';

export interface NetworkApi {
  /** The title of the network. */
  network: string;
  open(credentials: Credentials): {
    /** Base URL for the paths of calls. */
    url: string;
    headers?: Record<string, string> | undefined;
    /** Texts that are never shown. */
    secrets: string[];
  };
  readRefusal(answer: NetworkAnswer, credentials: Credentials, kind: CallKind): Explanation;
  /** Default: the status decides. */
  isRefusal?(answer: NetworkAnswer): boolean;
}

/** For `open`: the settings for calls with the token of a login, or without a token. */
export const withToken = (url: string, token = '', headers: Record<string, string> = {}) => ({
  url,
  headers: token === '' ? headers : { ...headers, authorization: `Bearer ${token}` },
  secrets: [token],
});

type Query = Record<string, string | number | undefined>;

export interface ApiCall extends Pick<NetworkCall, 'method' | 'json' | 'upload' | 'headers'> {
  /** Default: `other`. */
  kind?: NetworkCall['kind'];
  /** Undefined members are left out. */
  query?: Query;
}

/** Returns an answer that matches `expected`, or throws a PlatformError. */
export type Ask = <T>(
  path: string,
  expected: z.ZodType<T>,
  call?: ApiCall,
) => Promise<{ body: T; headers: Headers; throttle: Throttle | undefined }>;

export type OpenApi = (credentials: Credentials, signal: AbortSignal) => Ask;

export function createApi(
  fetch: Fetch,
  { network, open, readRefusal, isRefusal = (answer) => !isSuccess(answer) }: NetworkApi,
): OpenApi {
  return (credentials, signal) =>
    async (path, expected, { kind = 'other', headers, query, ...call } = {}) => {
      const account = open(credentials);
      const answer = await callNetwork(fetch, {
        ...call,
        url: withQuery(`${account.url}${path}`, query),
        headers: { ...account.headers, ...headers },
        kind,
        signal,
      });
      if (isRefusal(answer)) {
        const explained = readRefusal(answer, credentials, kind);
        throw toRefusal({ network, kind, answer, secrets: account.secrets, ...explained });
      }
      const { data, success } = expected.safeParse(answer.body);
      if (!success) throw toUnexpectedAnswer(network, kind);
      return { body: data, headers: answer.headers, throttle: readThrottle(answer.headers) };
    };
}

function withQuery(url: string, query: Query | undefined): string {
  if (!query) return url;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return `${url}${url.includes('?') ? '&' : '?'}${parameters.toString()}`;
}

/** Throws unless the upload address is at the network's API, or at a host below its domain. */
export function requireOwn(
  url: string,
  { network, apiUrl, domain }: { network: string; apiUrl: string; domain: string },
): void {
  const { protocol, origin, host, hostname } = new URL(url);
  if (origin === new URL(apiUrl).origin) return;
  if (protocol === 'https:' && hostname.endsWith(`.${domain}`)) return;
  const message = `${network} gave an upload address at ${host}, which is not a host of ${network}.`;
  throw new PlatformError('rejected', message);
}
