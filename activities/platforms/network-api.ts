// Calls to a network's JSON API for one account: the answer checked, a refusal mapped.
import type { z } from 'zod';
import { callNetwork, isSuccess, type NetworkAnswer, type NetworkCall } from './json-client.ts';
import type { Credentials, Fetch, Throttle } from './platform.ts';
import { readThrottle } from './rate-limit-headers.ts';
import { toRefusal, toSurprise, type Refusal } from './refusal.ts';

export interface NetworkApi {
  /** The title of the network. */
  network: string;
  open(credentials: Credentials): {
    /** What the paths of calls are added to. */
    url: string;
    headers?: Record<string, string>;
    /** Never shown. */
    secrets: string[];
  };
  /** The network's own code and words. */
  readRefusal(
    answer: NetworkAnswer,
    credentials: Credentials,
  ): Omit<Refusal, 'network' | 'kind' | 'answer' | 'secrets'>;
  /** Default: by the status. */
  isRefusal?(answer: NetworkAnswer): boolean;
}

/** Answers with what `expected` describes, or throws a PlatformError. */
export type Ask = <T>(
  path: string,
  expected: z.ZodType<T>,
  /** `kind` is `other` by default. */
  call?: Partial<Pick<NetworkCall, 'kind' | 'method' | 'json' | 'headers'>>,
) => Promise<{ body: T; headers: Headers; throttle: Throttle | undefined }>;

export type OpenApi = (credentials: Credentials, signal: AbortSignal) => Ask;

export function createApi(
  fetch: Fetch,
  { network, open, readRefusal, isRefusal = (answer) => !isSuccess(answer) }: NetworkApi,
): OpenApi {
  return (credentials, signal) =>
    async (path, expected, { kind = 'other', headers, ...call } = {}) => {
      const account = open(credentials);
      const answer = await callNetwork(fetch, {
        ...call,
        url: `${account.url}${path}`,
        headers: { ...account.headers, ...headers },
        kind,
        signal,
      });
      if (isRefusal(answer)) {
        const { secrets } = account;
        throw toRefusal({ network, kind, answer, secrets, ...readRefusal(answer, credentials) });
      }
      const { data, success } = expected.safeParse(answer.body);
      if (!success) throw toSurprise(network, kind);
      return { body: data, headers: answer.headers, throttle: readThrottle(answer.headers) };
    };
}
