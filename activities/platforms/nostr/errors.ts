// What relays answered, where none of them did what was asked, as the engine's errors.
import { PlatformError, type PlatformErrorKind } from '../platform-error.ts';
import type { RelayAnswer } from './relay.ts';

/**
 * By the prefix of a refusal; all others are `rejected`: `auth-required`, `blocked`, `invalid`, `mute`,
 * `pow`, `restricted`. https://github.com/nostr-protocol/nips/blob/master/01.md
 */
const kinds: Readonly<Record<string, PlatformErrorKind>> = {
  'rate-limited': 'rate_limited',
  error: 'unavailable',
  no_answer: 'unknown_outcome',
  unreachable: 'unavailable',
};

/** The first that occurs decides: one relay that took the event, or may take it later, is enough. */
const order = ['unknown_outcome', 'rate_limited', 'unavailable', 'rejected'] as const;

export function toError(answers: RelayAnswer[]): PlatformError {
  const codes = answers.map(codeOf);
  const kindOf = (code: string) => kinds[code] ?? 'rejected';
  const kind = order.find((each) => codes.some((code) => kindOf(code) === each))!;
  const code = codes.find((each) => kindOf(each) === kind);
  return failure(kind, 'No Nostr relay confirmed the post.', answers, code);
}

export function failure(
  kind: PlatformErrorKind,
  told: string,
  answers: RelayAnswer[],
  platformCode?: string,
  field?: string,
): PlatformError {
  const words = answers.map(
    ({ relay, result, message = result }) => `${relay}: ${message.replace(/\.$/, '')}`,
  );
  const providerError = { relays: answers };
  const options = { platformCode, providerError, field };
  return new PlatformError(kind, `${told} ${words.join('; ')}.`, options);
}

function codeOf({ result, message = '' }: RelayAnswer): string {
  const prefix = /^([a-z-]{1,32}):/.exec(message)?.[1];
  return result === 'refused' && prefix ? prefix : result;
}
