// What the errors of Meta's networks mean to a post, each with a sentence for people. The page of a network shows
// its table.
import type { PostingErrorCode } from '../../../schema/posts/errors.ts';
import type { ThrottleScope } from '../platform-error.ts';
import type { Meaning } from '../refusal.ts';

export interface MetaError {
  /** Absent: any. */
  code?: number;
  /** The last code, if several have this meaning. */
  upTo?: number;
  /** Absent: any. */
  subcode?: number;
  /** As the code or as the subcode: the documents don't say which. */
  either?: number;
  /** In the message. Absent: any. */
  words?: RegExp;
  /** A publish may have been carried out all the same, so the container is read first. */
  mayBePublished?: true;
  meaning: Meaning;
  /** Code of a target that ends with it. Absent: by the meaning. */
  failsAs?: PostingErrorCode;
  /** Absent: the network's own words say it. */
  sentence?: string;
  throttled?: ThrottleScope;
  /** The account has used up how much it may publish. */
  isOutOfQuota?: true;
  /** For a limit without a time. */
  retryAfterMs?: number;
}

/** An error as it stands in an answer. */
export interface GivenError {
  code: number | undefined;
  subcode: number | undefined;
  message: string;
}

/**
 * Of every network. 190 and its subcodes: https://developers.facebook.com/docs/graph-api/guides/error-handling
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

/**
 * Threads documents no codes of its own. These are from answers that its clients have published, such as
 * https://github.com/fbsamples/threads_api/issues/70 and https://github.com/tirthpatell/threads-go/issues/30.
 */
const threadsOwn: readonly MetaError[] = [
  {
    words: /THREADS_API__LINK_LIMIT_EXCEEDED/,
    meaning: 'rejected',
    sentence: 'The post has more than 5 different links.',
  },
  {
    code: 24,
    subcode: 4279009,
    meaning: 'unavailable',
    sentence: 'Threads does not know the post or its container yet.',
  },
  {
    code: 100,
    subcode: 4279004,
    meaning: 'unavailable',
    sentence: 'Threads no longer has a part of the carousel.',
  },
  {
    subcode: 4279013,
    meaning: 'rejected',
    failsAs: 'account_restricted',
    sentence: 'The account is restricted. Its owner finds the reason in the app.',
  },
  {
    subcode: 4279047,
    meaning: 'rejected',
    sentence: "Threads can't show the page of the link. It must be public and must not redirect.",
  },
  {
    code: 1,
    subcode: 2207052,
    meaning: 'unavailable',
    failsAs: 'media_fetch_failed',
    sentence: 'Threads could not fetch the media.',
  },
  {
    code: 1,
    subcode: 2207005,
    meaning: 'rejected',
    sentence: 'The image is not a JPEG or a PNG that Threads can read.',
  },
  {
    code: 4,
    subcode: 2207051,
    meaning: 'rejected',
    failsAs: 'content_blocked',
    sentence: 'Threads blocks the post as spam. Its owner finds more in the app.',
  },
  {
    code: 9,
    subcode: 2207042,
    meaning: 'rate_limited',
    sentence: 'The account has published as many posts as Threads accepts in 24 hours.',
    isOutOfQuota: true,
  },
  {
    code: 10,
    subcode: 4279067,
    meaning: 'rejected',
    failsAs: 'app_not_approved',
    sentence: 'The app lacks access to this. Its owner must ask Meta for a review.',
  },
  {
    code: 10,
    mayBePublished: true,
    meaning: 'rejected',
    failsAs: 'permission_missing',
    sentence: 'The app or the login lacks a permission.',
  },
  {
    code: 100,
    subcode: 10,
    meaning: 'revoked',
    sentence:
      'The login lacks a permission, or the app is not reviewed and the user is not one of its testers.',
  },
  {
    code: 100,
    words: /reply_to_id/,
    meaning: 'unavailable',
    sentence: 'Threads does not know the post to reply to yet.',
  },
  { code: 100, meaning: 'rejected' },
];

/** The first one that matches counts. */
export const threadsErrors: readonly MetaError[] = [...threadsOwn, ...sharedErrors];

export function findMetaError(
  errors: readonly MetaError[],
  { code, subcode, message }: GivenError,
): MetaError | undefined {
  return errors.find(
    (entry) =>
      hasCode(entry, code) &&
      (entry.subcode ?? subcode) === subcode &&
      [undefined, code, subcode].includes(entry.either) &&
      (entry.words?.test(message) ?? true),
  );
}

function hasCode({ code: first, upTo: last = first }: MetaError, code: number | undefined) {
  if (first === undefined) return true;
  return code !== undefined && code >= first && code <= last!;
}

/** `24/4279009`. Undefined: the error has no code. */
export function writeCode({ code, subcode }: Pick<GivenError, 'code' | 'subcode'>) {
  return subcode === undefined ? code?.toString() : `${code ?? '–'}/${subcode}`;
}

/** Why a container failed, by a part of its `error_message`. */
export interface ContainerFailure {
  words: string;
  /** Another container may succeed. */
  canRepeat?: true;
  sentence: string;
  /** Code of a target that ends with it. Absent: `rejected`. */
  failsAs?: PostingErrorCode;
}

/** https://developers.facebook.com/docs/threads/troubleshooting */
export const threadsFailures: readonly ContainerFailure[] = [
  {
    words: 'FAILED_DOWNLOADING_VIDEO',
    canRepeat: true,
    failsAs: 'media_fetch_failed',
    sentence: 'Threads could not fetch the video.',
  },
  { words: 'FAILED_PROCESSING_AUDIO', sentence: "Threads can't read the audio of the video." },
  { words: 'FAILED_PROCESSING_VIDEO', sentence: "Threads can't read the video." },
  // The first one is spelled as Threads spells it.
  { words: 'INVALID_ASPEC', sentence: 'The video is too wide or too tall.' },
  { words: 'BIT_RATE', sentence: 'The bit rate of the video is above 100 Mbps.' },
  { words: 'INVALID_DURATION', sentence: 'The video is longer than 5 minutes.' },
  { words: 'FRAME_RATE', sentence: 'The video must have 23 to 60 frames per second.' },
  { words: 'AUDIO_CHANNEL', sentence: 'The audio of the video must be mono or stereo.' },
  { words: 'UNKNOWN', canRepeat: true, sentence: 'Threads could not process the media.' },
];
