// Calls to X's API v2, and what its refusals and daily limits mean.
import { z } from 'zod';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi, withToken } from '../network-api.ts';
import type { Fetch, Throttle } from '../platform.ts';
import { readUsedUpMs } from '../rate-limit-headers.ts';
import type { Explanation, Meaning } from '../refusal.ts';

/**
 * `code` is from the old form of errors, which X still uses. `type` ends with the name of the problem.
 * @see https://docs.x.com/x-api/fundamentals/response-codes-and-errors
 */
const Problem = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  code: z.int().optional(),
  message: z.string().optional(),
  errors: z
    .array(z.object({ code: z.int().optional(), message: z.string().optional() }))
    .optional()
    .catch(undefined),
});

/** How long a target waits if the app has no credits. X doesn't report when the app's owner buys more credits. */
const creditsWaitMs = 15 * 60_000;

/** Problems of the app. The app's owner must act, not the user. */
const ownerActions = new Map([
  ['usage-capped', 'The usage cap of the X app is reached. Its owner must raise the cap.'],
  ['credits', 'The X app has no credits left. Its owner must buy more credits.'],
  ['client-forbidden', 'The X app lacks access to this. Its owner must enroll it.'],
]);

export const duplicateCode = 'duplicate';
/** X's API v2 has no code for a duplicate. X's API v1.1 had one. */
const duplicateWords = /duplicate content|status is a duplicate/i;

export const createTwitterApi = (fetch: Fetch, apiUrl: string) =>
  createApi(fetch, {
    network: 'X',
    open: ({ access_token }) => withToken(`${apiUrl}/2`, access_token),
    readRefusal,
  });

function readRefusal({ status, headers, body }: NetworkAnswer): Explanation {
  const {
    type = '',
    title,
    detail,
    code,
    message,
    errors = [],
  } = Problem.safeParse(body).data ?? {};
  const name = type.startsWith('http') ? type.split('/').at(-1)! : '';
  const words = errors.flatMap((error) => error.message ?? []);
  const said = words.length > 0 ? words.join(' ') : (detail ?? message ?? title);
  const isOutOfCredits = status === 402 || name === 'credits';
  const action = ownerActions.get(isOutOfCredits ? 'credits' : name);
  const isDuplicate = status === 403 && duplicateWords.test(said ?? '');
  const number = code ?? errors.find((error) => error.code !== undefined)?.code;
  const limit = status === 429 ? readDailyLimit(headers) : undefined;
  return {
    code: isDuplicate ? duplicateCode : name || number?.toString(),
    message: [said, action].filter(Boolean).join(' '),
    ...(isOutOfCredits && { isOutOfCredits, retryAfterMs: creditsWaitMs }),
    meaning: isOutOfCredits ? 'rate_limited' : readMeaning(name, status, title),
    ...(limit && { throttled: limit.scope, retryAfterMs: limit.waitMs }),
  };
}

/** Undefined: the meaning depends on the status. */
function readMeaning(name: string, status: number, title: string | undefined): Meaning | undefined {
  if (name === 'usage-capped') return 'rejected';
  // X's own 503 has a title, and X took nothing. A proxy may answer 503 for a call that X has carried out.
  return status === 503 && title ? 'unavailable' : undefined;
}

/**
 * A used-up daily limit of this account, or of all accounts of the app. X documents the limits, but not their
 * headers.
 * @see https://docs.x.com/x-api/fundamentals/rate-limits#manage-posts
 */
export function readDailyLimit(headers: Headers): Throttle | undefined {
  const scopes = { 'x-app-limit-24hour-': 'app', 'x-user-limit-24hour-': 'account' } as const;
  for (const [prefix, scope] of Object.entries(scopes)) {
    const waitMs = readUsedUpMs(headers, prefix);
    if (waitMs !== undefined) return { scope, waitMs };
  }
  return undefined;
}
