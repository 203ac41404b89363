// Calls to LinkedIn's API, and the meaning of its refusals.
import { z } from 'zod';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi, withToken, type Ask } from '../network-api.ts';
import type { Credentials, Fetch } from '../platform.ts';
import { serverNow } from '../rate-limit-headers.ts';
import type { Explanation, Meaning } from '../refusal.ts';

export const network = 'LinkedIn';

export interface LinkedInSettings {
  fetch: Fetch;
  apiUrl: string;
  loginUrl: string;
  /** The version of the API, as a year and a month. */
  version: string;
  scopes: string[];
}

/** The API for one login. */
export interface LinkedInApi {
  /** The versioned API. */
  rest: Ask;
  /** The identity of the member. */
  v2: Ask;
}

export function createLinkedInApi({ fetch, apiUrl, version }: LinkedInSettings) {
  const openAt = (path: string, headers: Record<string, string>) =>
    createApi(fetch, {
      network,
      open: ({ access_token }) => withToken(`${apiUrl}${path}`, access_token, headers),
      readRefusal: (answer) => readRefusal(answer, version),
    });
  // https://learn.microsoft.com/en-us/linkedin/marketing/versioning
  const versioned = { 'linkedin-version': version, 'x-restli-protocol-version': '2.0.0' };
  const [rest, v2] = [openAt('/rest', versioned), openAt('/v2', {})];
  return (credentials: Credentials, signal: AbortSignal): LinkedInApi => ({
    rest: rest(credentials, signal),
    v2: v2(credentials, signal),
  });
}

/** @see https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling */
const Refused = z.object({
  code: z.string().optional(),
  serviceErrorCode: z.number().optional(),
  message: z.string().optional(),
  errorDetails: z
    .object({
      inputErrors: z
        .array(z.object({ code: z.string().optional(), description: z.string().optional() }))
        .optional(),
    })
    .optional()
    .catch(undefined),
});

/** The member revoked the token. */
const revokedCode = 65601;

const meanings = new Map<string, Meaning>([
  ['REVOKED_ACCESS_TOKEN', 'revoked'],
  // The fault is the operator's outdated setting, not the post.
  ['NONEXISTENT_VERSION', 'unavailable'],
  ['VERSION_MISSING', 'unavailable'],
  // LinkedIn is still processing an image, a video or a document.
  ['MEDIA_ASSET_PROCESSING', 'unavailable'],
]);

function readRefusal({ status, headers, body }: NetworkAnswer, version: string): Explanation {
  const refused = Refused.safeParse(body).data ?? {};
  const { message = '', serviceErrorCode, errorDetails } = refused;
  const issues = errorDetails?.inputErrors ?? [];
  const code = issues.find((issue) => issue.code)?.code ?? refused.code;
  const isRevoked = status === 401 && serviceErrorCode === revokedCode;
  // A proxy's 503 has no message. The proxy may have passed the request on.
  const isDown = status === 503 && message !== '';
  return {
    code: code ?? (serviceErrorCode === undefined ? undefined : String(serviceErrorCode)),
    message: [message, ...hintsOf(code, message, version)].filter(Boolean).join(' '),
    meaning: isRevoked ? 'revoked' : isDown ? 'unavailable' : meanings.get(code ?? ''),
    ...(status === 429 && readLimit(message, headers)),
  };
}

function hintsOf(code: string | undefined, message: string, version: string): string[] {
  if (code === 'NONEXISTENT_VERSION') {
    return [`Fanfare asked for ${version}. Its operator must set FANFARE_LINKEDIN_VERSION.`];
  }
  const urn = /urn:li:(?:share|ugcPost):\d+/.exec(message)?.[0];
  return code === 'DUPLICATE_POST' && urn ? [`See ${postUrl(urn)}`] : [];
}

export const postUrl = (urn: string) => `https://www.linkedin.com/feed/update/${urn}`;

const dayMs = 86_400_000;

/**
 * Reads messages such as "Resource level throttle APPLICATION DAY limit for calls to this resource is
 * reached." Days end at midnight UTC:
 * https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/rate-limits
 */
function readLimit(message: string, headers: Headers): Explanation {
  const isDaily = /\bDAY\b/.test(message) && !headers.has('retry-after');
  return {
    throttled: /\bAPPLICATION\b/.test(message) ? 'app' : 'grant',
    ...(isDaily && { retryAfterMs: dayMs - (serverNow(headers) % dayMs) }),
  };
}
