// What each error of Meta's networks means for a post, with a sentence for people. The docs page of each network
// lists its errors.
import type { PostingErrorCode } from '../../../schema/posts/errors.ts';
import type { ThrottleScope } from '../platform-error.ts';
import type { Meaning } from '../refusal.ts';

export interface MetaError {
  /** Absent: any code. */
  code?: number;
  /** If several codes in a row have this meaning, the last of them. */
  upTo?: number;
  /** Absent: any subcode. */
  subcode?: number;
  /** A number that is the code or the subcode, because the documents don't say which. */
  either?: number;
  /** Words in the error's message. Absent: any message. */
  words?: RegExp;
  /** The publish may have succeeded despite this error, so the container is read first. */
  mayBePublished?: true;
  meaning: Meaning;
  /** Error code of a target that fails with this error. Absent: the meaning decides. */
  failsAs?: PostingErrorCode;
  /** Absent: the network's own words are clear. */
  sentence?: string;
  throttled?: ThrottleScope;
  /** The account has used up its quota for publishing. */
  isOutOfQuota?: true;
  /** The wait after a limit for which the network names no time. */
  retryAfterMs?: number;
}

/** An error as it appears in an answer. */
export interface GivenError {
  code: number | undefined;
  subcode: number | undefined;
  message: string;
}

/**
 * Errors that every network of Meta has. Code 190 and its subcodes:
 * https://developers.facebook.com/docs/graph-api/guides/error-handling
 * Limits: https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 */
export const sharedErrors: readonly MetaError[] = [
  {
    code: 190,
    subcode: 458,
    meaning: 'revoked',
    sentence: 'The user has removed the app. Connect the account again.',
  },
  {
    code: 190,
    subcode: 460,
    meaning: 'revoked',
    sentence: 'The password was changed, which ended the login. Connect the account again.',
  },
  {
    code: 190,
    subcode: 463,
    meaning: 'reauthorize',
    sentence: 'The login has expired. Connect the account again.',
  },
  {
    code: 190,
    words: /expired/i,
    meaning: 'reauthorize',
    sentence: 'The login has expired. Connect the account again.',
  },
  {
    code: 190,
    meaning: 'revoked',
    sentence: 'The login is no longer valid. Connect the account again.',
  },
  {
    code: 368,
    meaning: 'rejected',
    failsAs: 'account_restricted',
    sentence: 'The account may not do this for now. Its owner finds the reason in the app.',
  },
  {
    code: 4,
    meaning: 'rate_limited',
    sentence: 'The app has made too many calls.',
    throttled: 'app',
  },
  { code: 17, meaning: 'rate_limited', sentence: 'The account has made too many calls.' },
  { code: 32, meaning: 'rate_limited', sentence: 'The account has made too many calls.' },
  { code: 613, meaning: 'rate_limited', sentence: 'The account has made too many calls.' },
  { code: 1, meaning: 'lost' },
  { code: 2, meaning: 'lost' },
  { code: -1, meaning: 'lost' },
];

export function findMetaError(
  errors: readonly MetaError[],
  { code, subcode, message }: GivenError,
): MetaError | undefined {
  return errors.find(
    (entry) =>
      matchesCode(entry, code) &&
      (entry.subcode ?? subcode) === subcode &&
      [undefined, code, subcode].includes(entry.either) &&
      (entry.words?.test(message) ?? true),
  );
}

function matchesCode({ code: first, upTo: last = first }: MetaError, code: number | undefined) {
  if (first === undefined) return true;
  return code !== undefined && code >= first && code <= last!;
}

/** `24/4279009`. Undefined: the error has no code. */
export function writeCode({ code, subcode }: Pick<GivenError, 'code' | 'subcode'>) {
  return subcode === undefined ? code?.toString() : `${code ?? '–'}/${subcode}`;
}

/** The reason why a container failed, which is found by a part of its status. */
export interface ContainerFailure {
  words: string;
  /** Another container may succeed. */
  canRepeat?: true;
  sentence: string;
  /** Error code of a target that fails with this failure. Absent: `rejected`. */
  failsAs?: PostingErrorCode;
}
