// Turns a network's refusal into a PlatformError. The network's own code decides. Without a known code, the
// status decides.
import { z } from 'zod';
import type { PostingErrorCode } from '../../schema/posts/errors.ts';
import type { CallKind, NetworkAnswer } from './json-client.ts';
import {
  PlatformError,
  type PlatformErrorKind,
  type PlatformErrorOptions,
  type ThrottleScope,
} from './platform-error.ts';
import { withoutTokens } from './public-urls.ts';
import { readRefusedMs } from './rate-limit-headers.ts';

/**
 * `revoked`: the user or the network revoked the access. `lost`: the network may have carried out the call.
 */
export type Meaning = PlatformErrorKind | 'revoked' | 'lost';

/** How a network explains a refusal. */
export interface Explanation {
  /** The network's own code and words, if it gave any. */
  code?: string | undefined;
  message?: string | undefined;
  /** Default: depends on the status. */
  meaning?: Meaning | undefined;
  /** Additional members of `provider_error`. */
  detail?: Record<string, unknown> | undefined;
  /** Default: the wait that the headers name. */
  retryAfterMs?: number | undefined;
  /** What a rate limit applies to. Default: the account. */
  throttled?: ThrottleScope | undefined;
  /** The network refuses because the app has no credits left. */
  isOutOfCredits?: boolean | undefined;
  /** The network refuses because the account, or with `throttled` its app, has used up its quota for publishing. */
  isOutOfQuota?: boolean | undefined;
  /** Error code of a target that ends with this refusal. Default: depends on the meaning. */
  failsAs?: PostingErrorCode | undefined;
}

/** A network's word for a state or a reason. A text that could repeat a secret counts as absent. */
export const NetworkWord = z
  .string()
  .regex(/^[a-z_]{1,64}$/i)
  .optional()
  .catch(undefined);

export interface Refusal extends Explanation {
  /** The title of the network. */
  network: string;
  kind: CallKind;
  answer: NetworkAnswer;
  /** Redacted even if the network repeats them. */
  secrets: readonly string[];
}

/** Maximum length of a network's text in our message. `provider_error` keeps more of it. */
const maxWordsLength = 500;
/**
 * Maximum length of a network's text before redaction. It is longer than the text that is stored. A short
 * secret that repeats makes the text longer when it is redacted, so the text needs a limit before that.
 */
const maxTextLength = 5_000;

export function toRefusal(refusal: Refusal): PlatformError {
  const { network, kind, answer, secrets, detail, throttled = 'account' } = refusal;
  const { status } = answer;
  const code = redact(refusal.code?.trim() ?? '', secrets);
  const message = redact(refusal.message?.trim() ?? '', secrets);
  const said = message.startsWith(`${code}: `)
    ? message
    : [code, message].filter(Boolean).join(': ');
  const words = said.slice(0, maxWordsLength) || `HTTP ${status}`;
  const options: PlatformErrorOptions = {
    platformCode: code || String(status),
    ...(refusal.failsAs && { failsAs: refusal.failsAs }),
    providerError: { status, ...(code && { code }), ...(message && { message }), ...detail },
  };
  const meaning = refusal.meaning ?? meaningOf(status);
  switch (meaning) {
    case 'rate_limited':
      return new PlatformError('rate_limited', `${network} limits the rate: ${words}`, {
        ...options,
        throttled,
        isOutOfCredits: refusal.isOutOfCredits,
        isOutOfQuota: refusal.isOutOfQuota,
        retryAfterMs: refusal.retryAfterMs ?? readRefusedMs(answer.headers),
      });
    case 'lost':
      return lostAnswer(kind, `${network} failed: ${words}`, options);
    case 'revoked':
    case 'reauthorize':
      return new PlatformError('reauthorize', `${network} refused the credentials: ${words}`, {
        ...options,
        ...(meaning === 'revoked' && { isRevoked: true }),
      });
    case 'rejected':
      return new PlatformError(meaning, `${network} refused the request: ${words}`, options);
    case 'unavailable':
    case 'unknown_outcome':
      return new PlatformError(meaning, `${network} failed: ${words}`, options);
  }
}

function meaningOf(status: number): Meaning {
  if (status === 429) return 'rate_limited';
  if (status === 401) return 'reauthorize';
  if (status >= 500 || status === 408) return 'lost';
  // The answer is a redirect, or a page of a proxy in between. The network itself accepted nothing.
  return status < 400 ? 'unavailable' : 'rejected';
}

/** The error for a successful answer that can't be read. */
export function toUnexpectedAnswer(network: string, kind: CallKind): PlatformError {
  return lostAnswer(kind, `${network} answered in a way that can't be read.`);
}

/** A commit may have published the post. Every other call can be repeated. */
export function lostAnswer(
  kind: CallKind,
  message: string,
  options: PlatformErrorOptions = {},
): PlatformError {
  return new PlatformError(kind === 'commit' ? 'unknown_outcome' : 'unavailable', message, options);
}

/** The beginning of the text, without the secrets and the tokens of media, percent-encoded or not. */
function redact(text: string, secrets: readonly string[]): string {
  const written = secrets.filter(Boolean).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const hidden = written.reduce(
    (rest, secret) => rest.replaceAll(secret, '[redacted]'),
    text.slice(0, maxTextLength),
  );
  const isCut = text.length > maxTextLength;
  return withoutTokens(isCut ? written.reduce(withoutBeginning, hidden) : hidden);
}

/** The cut at the limit may leave the beginning of a secret at the end of the text. */
function withoutBeginning(text: string, secret: string): string {
  for (let length = secret.length - 1; length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length);
  }
  return text;
}
