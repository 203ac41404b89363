// Calls to YouTube's API for one channel, and the meaning of its refusals.
import { z } from 'zod';
import { youtube } from '../../../schema/platforms/youtube.ts';
import type { PostingErrorCode } from '../../../schema/posts/errors.ts';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi, withToken, type Ask } from '../network-api.ts';
import type { ThrottleScope } from '../platform-error.ts';
import type { Credentials, Fetch } from '../platform.ts';
import { serverNow } from '../rate-limit-headers.ts';
import type { Explanation, Meaning } from '../refusal.ts';
import { nextPacificMidnight } from './pacific-day.ts';

export const network = youtube.title;

export interface YouTubeSettings {
  fetch: Fetch;
  apiUrl: string;
  consentUrl: string;
  tokenUrl: string;
  scopes: string[];
}

/** The API for one login. */
export interface YouTubeApi {
  ask: Ask;
  /** Begins uploads, which have a quota of their own. */
  insert: Ask;
  token: string;
  fetch: Fetch;
  apiUrl: string;
  signal: AbortSignal;
}

export type OpenYouTube = (credentials: Credentials, signal: AbortSignal) => YouTubeApi;

export function createYouTubeApi({ fetch, apiUrl }: YouTubeSettings): OpenYouTube {
  const openAs = (read: (answer: NetworkAnswer) => Explanation) =>
    createApi(fetch, {
      network,
      open: ({ access_token }) => withToken(apiUrl, access_token),
      readRefusal: read,
    });
  const [ask, insert] = [openAs(readRefusal), openAs(readRefusedInsert)];
  return (credentials, signal) => {
    const { access_token: token = '' } = credentials;
    const asks = { ask: ask(credentials, signal), insert: insert(credentials, signal) };
    return { ...asks, token, fetch, apiUrl, signal };
  };
}

/** @see https://developers.google.com/youtube/data/guides/core-errors */
const Refused = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z
      .array(z.object({ reason: z.string().optional(), domain: z.string().optional() }))
      .optional()
      .catch(undefined),
  }),
});

interface Known {
  meaning?: Meaning;
  failsAs?: PostingErrorCode;
}

const restricted = { failsAs: 'account_restricted' } as const;
const known = new Map<string, Known>([
  ['authError', { meaning: 'reauthorize' }],
  // The login is good, but its channel is gone.
  ['youtubeSignupRequired', { meaning: 'rejected', ...restricted }],
  ['authenticatedUserNotChannel', restricted],
  ['insufficientPermissions', { failsAs: 'permission_missing' }],
  ['accountClosed', restricted],
  ['accountSuspended', restricted],
  ['authenticatedUserAccountClosed', restricted],
  ['authenticatedUserAccountSuspended', restricted],
  ['channelClosed', restricted],
  ['channelSuspended', restricted],
]);

/** What a limit applies to: the project at Google, or one user of it. */
const limits = new Map<string, ThrottleScope>([
  ['quotaExceeded', 'app'],
  ['dailyLimitExceeded', 'app'],
  ['rateLimitExceeded', 'app'],
  ['userRateLimitExceeded', 'grant'],
]);

/** The channel has set too many thumbnails. It can still publish. */
const thumbnailLimit = 'uploadRateLimitExceeded';
const uploadLimit = 'uploadLimitExceeded';
const dayMs = 86_400_000;
/** The quotas of a new day may come a little later. */
const marginMs = 60_000;

/** @see https://developers.google.com/youtube/data/reference/rest/v3/errors */
export function readRefusal({ headers, body }: NetworkAnswer): Explanation {
  const { message, errors = [] } = Refused.safeParse(body).data?.error ?? {};
  const code = errors[0]?.reason;
  const explained = { code, message };
  if (code === undefined) return explained;
  // YouTube announced that a channel may try again in 24 hours: https://gitlab.gnome.org/GNOME/shotwell/-/issues/5019
  if (code === uploadLimit) {
    return { ...explained, meaning: 'rate_limited', isOutOfQuota: true, retryAfterMs: dayMs };
  }
  if (code === thumbnailLimit) return { ...explained, meaning: 'rate_limited', isOutOfQuota: true };
  const throttled = limits.get(code);
  if (!throttled) return { ...explained, ...known.get(code) };
  if (!isDaily(code, message)) return { ...explained, meaning: 'rate_limited', throttled };
  // https://developers.google.com/youtube/data/determine_quota_cost
  const now = serverNow(headers);
  const retryAfterMs = nextPacificMidnight(now) - now + marginMs;
  return { ...explained, meaning: 'rate_limited', isOutOfQuota: true, retryAfterMs };
}

/** The quota of uploads is that of the app. Other quotas end no upload, so nobody else waits for them. */
function readRefusedInsert(answer: NetworkAnswer): Explanation {
  const explained = readRefusal(answer);
  const isOfApp = explained.isOutOfQuota && explained.code !== uploadLimit;
  return { ...explained, ...(isOfApp && { throttled: 'app' }) };
}

/** Google's newer quotas have the same code for each minute and for each day, and name the period in words. */
const isDaily = (code: string, message = '') =>
  code === 'quotaExceeded' || code === 'dailyLimitExceeded' || /\bper day\b/i.test(message);
