// What went wrong at a PDS, in the engine's five kinds; never with a token in it.
import type { NetworkAnswer } from '../json-client.ts';
import { PlatformError } from '../platform-error.ts';
import type { PlatformErrorOptions } from '../platform-error.ts';
import { readRefusedMs } from '../rate-limit-headers.ts';
import { lostAnswer, redact } from '../refusal.ts';

/** Only a commit may have changed something when its answer is lost. */
export type CallKind = 'connect' | 'refresh' | 'prepare' | 'commit' | 'reconcile' | 'revoke';

const revokedCodes = new Set([
  'InvalidToken',
  'AccountTakedown',
  'AccountSuspended',
  'AccountDeactivated',
  'AccountNotFound',
]);

/**
 * A PDS limits accounts and addresses, each PDS by itself, and says not which: held against the
 * account, since other accounts may be at another PDS.
 * @see https://docs.bsky.app/docs/advanced-guides/rate-limits
 */
export function toError(
  answer: NetworkAnswer,
  kind: CallKind,
  secrets: readonly string[],
): PlatformError {
  const { status, headers } = answer;
  const { code, text } = readFault(answer.body, secrets);
  const said = [code, text].filter(Boolean).join(': ').slice(0, 500) || `HTTP ${status}`;
  const options: PlatformErrorOptions = {
    platformCode: code ?? String(status),
    providerError: { status, ...(code && { error: code }), ...(text && { message: text }) },
  };
  if (status === 429) {
    const retryAfterMs = readRefusedMs(headers);
    return new PlatformError('rate_limited', `Bluesky limits the rate: ${said}`, {
      ...options,
      throttled: 'account',
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
  if (status >= 500 || status === 408) {
    return lostAnswer(sharedKind(kind), `Bluesky is in trouble: ${said}`, options);
  }
  if (status < 400)
    return new PlatformError('unavailable', `No PDS answers there: ${said}`, options);
  if (kind === 'connect') {
    return new PlatformError('rejected', `Bluesky refused the login: ${said}`, options);
  }
  // A taken record key means that the post may be there already.
  if (kind === 'commit' && code === 'InvalidSwap') {
    return new PlatformError('unknown_outcome', `Bluesky refused the write: ${said}`, options);
  }
  // A PDS says ExpiredToken of an app password taken back, too, and only its words differ.
  const isRevoked =
    revokedCodes.has(code ?? '') ||
    (code === 'ExpiredToken' && /revoked/i.test(text ?? '')) ||
    (kind === 'refresh' && code !== undefined && code !== 'ExpiredToken');
  if (isRevoked) {
    const message = `Bluesky no longer lets us act for the account: ${said}`;
    return new PlatformError('reauthorize', message, { ...options, isRevoked: true });
  }
  if (code === 'ExpiredToken' || status === 401) {
    return new PlatformError('reauthorize', `The Bluesky session has ended: ${said}`, options);
  }
  return new PlatformError('rejected', `Bluesky refused this: ${said}`, options);
}

/** The error of an answer that isn't what the call gives. */
export function toSurprise(what: string, kind: CallKind): PlatformError {
  return lostAnswer(sharedKind(kind), `Bluesky answered ${what} in a way that can't be read.`);
}

/** As the code that all networks share tells calls apart. */
export const sharedKind = (kind: CallKind) => (kind === 'commit' ? 'commit' : 'other');

function readFault(body: unknown, secrets: readonly string[]) {
  if (typeof body !== 'object' || body === null) return {};
  const { error, message } = body as { error?: unknown; message?: unknown };
  return {
    code: typeof error === 'string' ? hideTokens(error, secrets) : undefined,
    text: typeof message === 'string' ? hideTokens(message, secrets) : undefined,
  };
}

/** Tokens of others too: a PDS may show one that we never had. */
function hideTokens(text: string, secrets: readonly string[]): string {
  return redact(text, secrets).replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[redacted]');
}
