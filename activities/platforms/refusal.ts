// A network's refusal as a PlatformError: by its status, unless its own code says more.
import type { CallKind, NetworkAnswer } from './json-client.ts';
import {
  PlatformError,
  type PlatformErrorKind,
  type PlatformErrorOptions,
} from './platform-error.ts';
import { readRefusedMs } from './rate-limit-headers.ts';

/**
 * What a network's code means. `revoked`: the user or the network took the access back. `lost`: the
 * network may have done what was asked.
 */
export type Verdict = PlatformErrorKind | 'revoked' | 'lost';

export interface Refusal {
  /** The title of the network. */
  network: string;
  kind: CallKind;
  answer: NetworkAnswer;
  /** The network's own code and words, where it gave them. */
  code?: string | undefined;
  message?: string | undefined;
  /** By the network's code, else by the status. */
  verdicts?: Readonly<Record<string, Verdict>>;
  /** Never shown, even where the network repeats them. */
  secrets: readonly string[];
  /** Default: by the headers. */
  retryAfterMs?: number | undefined;
  /** Whom a rate limit is for. Default: the account. */
  throttled?: 'account' | 'app' | undefined;
}

/** Of a network's words in our message. `provider_error` keeps more of them. */
const maxWordsLength = 500;
/** Of any text of a network: more than is kept. A short secret, often repeated, would grow without end. */
const maxTextLength = 5_000;

export function toRefusal(refusal: Refusal): PlatformError {
  const { network, kind, answer, secrets } = refusal;
  const { status } = answer;
  const code = redact(refusal.code?.trim() ?? '', secrets);
  const message = redact(refusal.message?.trim() ?? '', secrets);
  const said = message.startsWith(`${code}: `)
    ? message
    : [code, message].filter(Boolean).join(': ');
  const words = said.slice(0, maxWordsLength) || `HTTP ${status}`;
  const options: PlatformErrorOptions = {
    platformCode: code || String(status),
    providerError: { status, ...(code && { code }), ...(message && { message }) },
  };
  const { verdicts = {}, code: given = '' } = refusal;
  const known = [given, String(status)].find((each) => Object.hasOwn(verdicts, each));
  const verdict = known === undefined ? verdictOf(status) : verdicts[known]!;
  switch (verdict) {
    case 'rate_limited':
      return new PlatformError('rate_limited', `${network} limits the rate: ${words}`, {
        ...options,
        throttled: refusal.throttled ?? 'account',
        retryAfterMs: refusal.retryAfterMs ?? readRefusedMs(answer.headers),
      });
    case 'lost':
      return lostAnswer(kind, `${network} failed: ${words}`, options);
    case 'revoked':
    case 'reauthorize':
      return new PlatformError('reauthorize', `${network} refused the credentials: ${words}`, {
        ...options,
        ...(verdict === 'revoked' && { isRevoked: true }),
      });
    case 'rejected':
      return new PlatformError(verdict, `${network} refused the request: ${words}`, options);
    case 'unavailable':
    case 'unknown_outcome':
      return new PlatformError(verdict, `${network} failed: ${words}`, options);
  }
}

function verdictOf(status: number): Verdict {
  if (status === 429) return 'rate_limited';
  if (status === 401) return 'reauthorize';
  if (status >= 500 || status === 408) return 'lost';
  // A redirect or a page of something in between: the network itself took nothing.
  return status < 400 ? 'unavailable' : 'rejected';
}

/** The error of an answer with a good status that can't be read. */
export function toSurprise(network: string, kind: CallKind): PlatformError {
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

/** The beginning, without the secrets, also where they are percent-encoded. */
export function redact(text: string, secrets: readonly string[]): string {
  const written = secrets.filter(Boolean).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return written.reduce(
    (rest, secret) => rest.replaceAll(secret, '[redacted]'),
    text.slice(0, maxTextLength),
  );
}
