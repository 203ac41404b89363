// Calls to Pinterest's API v5, and what its refusals and limits mean.
import { z } from 'zod';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi, withToken } from '../network-api.ts';
import { PlatformError, readWaitMs } from '../platform-error.ts';
import type { Fetch, Throttle } from '../platform.ts';
import type { Explanation } from '../refusal.ts';

export const network = 'Pinterest';

export const createPinterestApi = (fetch: Fetch, apiUrl: string) =>
  createApi(fetch, {
    network,
    open: ({ access_token }) => withToken(`${apiUrl}/v5`, access_token),
    readRefusal,
  });

/** The form of every error, even of those of the token endpoint. */
const Refused = z.object({ code: z.int(), message: z.string().default('') });

/** For the OAuth client. */
export function readOAuthError(body: unknown) {
  const { data } = Refused.safeParse(body);
  return data && { error: String(data.code), error_description: data.message };
}

/** https://github.com/pinterest/pinterest-python-sdk/issues/114 */
export const invalidGrant = '283';

export const unknownPin = '50';

/** The most that Pinterest lists at once. */
export const pageSize = 250;

export const pageOf = <T>(item: z.ZodType<T>) =>
  z.object({ items: z.array(item), bookmark: z.string().nullish() });

/** For `catch`: returns nothing if Pinterest no longer has what the call names. */
export function unlessGone(error: unknown): undefined {
  if (!(error instanceof PlatformError) || error.options.providerError?.['status'] !== 404) {
    throw error;
  }
}

interface Known {
  /** Some examples repeat the status as the code. */
  codes: readonly number[];
  words: RegExp;
  explanation: Explanation;
}

/**
 * The codes and most words are in examples of the OpenAPI description, https://github.com/pinterest/api-description.
 * Those of apps without access are from answers that clients have published, such as
 * https://github.com/gitroomhq/postiz-app/issues/1084.
 */
const known: readonly Known[] = [
  {
    codes: [29],
    words: /trial access/i,
    explanation: {
      failsAs: 'app_not_approved',
      message: 'Its owner must ask Pinterest for Standard access.',
    },
  },
  {
    codes: [3],
    words: /consumer type/i,
    explanation: {
      meaning: 'rejected',
      failsAs: 'app_not_approved',
      message: 'Its owner must ask Pinterest for access.',
    },
  },
  {
    codes: [3],
    words: /sufficient permissions/i,
    explanation: {
      meaning: 'rejected',
      failsAs: 'permission_missing',
      message: 'Connect the account again, and allow everything that Pinterest asks for.',
    },
  },
  {
    codes: [2031, 404],
    words: /section/i,
    explanation: {
      failsAs: 'choice_gone',
      message: 'Choose another section in platform_options.board_section_id.',
      detail: { path: 'platform_options.board_section_id' },
    },
  },
  {
    codes: [40, 404],
    words: /board/i,
    explanation: {
      failsAs: 'choice_gone',
      message: 'Choose another board in platform_options.board_id.',
      detail: { path: 'platform_options.board_id' },
    },
  },
];

function readRefusal({ status, headers, body }: NetworkAnswer): Explanation {
  const { data } = Refused.safeParse(body);
  const retryAfterMs = status === 429 ? readResetMs(headers) : undefined;
  if (!data) return { retryAfterMs };
  const { code, message } = data;
  const found = known.find(({ codes, words }) => codes.includes(code) && words.test(message));
  return {
    retryAfterMs,
    ...found?.explanation,
    code: String(code),
    message: [message, found?.explanation.message].filter(Boolean).join(' '),
  };
}

/** Seconds until the limit resets. Other networks name the time of the reset in this header. */
function readResetMs(headers: Headers): number | undefined {
  if (headers.has('retry-after')) return undefined;
  return readWaitMs(Number.parseFloat(headers.get('x-ratelimit-reset') ?? '') * 1_000);
}

/** The wait after an accepted request that used up the limit of its category. */
export function readThrottle(headers: Headers): Throttle | undefined {
  const waitMs = readResetMs(headers);
  if (headers.get('x-ratelimit-remaining') !== '0' || waitMs === undefined) return undefined;
  return { scope: 'account', waitMs };
}
