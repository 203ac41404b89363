// What the errors of Instagram mean to a post, each with a sentence for people. The page of Instagram shows the table.
import { facebookLoginErrors } from '../meta/facebook-errors.ts';
import { sharedErrors, type ContainerFailure, type MetaError } from '../meta/errors.ts';

export const personalAccount =
  "A personal account can't publish through other apps. In the Instagram app, switch it to a professional account. Then connect it again.";

/** How long an account waits, since Instagram names no time. */
const blockedForMs = 3_600_000;

/**
 * Errors with a subcode: https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes
 * 2207018 and the words are from answers that clients of Instagram have published. So are the sentences of 2207051 and
 * 2207052, because Instagram's own words mislead.
 */
const own: readonly MetaError[] = [
  {
    words: /not an Instagram Business/i,
    meaning: 'rejected',
    sentence: personalAccount,
  },
  {
    words: /INVALID_LOCATION_ID/,
    meaning: 'rejected',
    failsAs: 'choice_gone',
    sentence: 'The location must be the page of a place.',
  },
  {
    code: -2,
    subcode: 2207003,
    meaning: 'unavailable',
    failsAs: 'media_fetch_failed',
    sentence: 'Instagram took too long to fetch the media.',
  },
  {
    code: -2,
    subcode: 2207020,
    meaning: 'unavailable',
    sentence: 'Instagram no longer has the media.',
  },
  { code: -1, subcode: 2207001, meaning: 'lost', sentence: 'Instagram failed.' },
  {
    code: -1,
    subcode: 2207032,
    meaning: 'unavailable',
    sentence: 'Instagram could not prepare the media.',
  },
  {
    code: -1,
    subcode: 2207053,
    meaning: 'unavailable',
    sentence: 'Instagram could not take the video.',
  },
  {
    code: 1,
    subcode: 2207057,
    meaning: 'rejected',
    sentence: 'thumbnail_at_ms is beyond the end of the video.',
  },
  {
    code: 4,
    subcode: 2207051,
    meaning: 'rate_limited',
    retryAfterMs: blockedForMs,
    sentence:
      'Instagram blocks this action of the account, to protect its community. The owner finds details in the Instagram app.',
  },
  {
    code: 9,
    subcode: 2207042,
    meaning: 'rate_limited',
    isOutOfQuota: true,
    sentence: 'The account has published as many posts as Instagram accepts in 24 hours.',
  },
  {
    code: 24,
    subcode: 2207006,
    meaning: 'unavailable',
    sentence: 'Instagram does not have the post or its media, or not yet.',
  },
  {
    code: 24,
    subcode: 2207008,
    meaning: 'unavailable',
    sentence: 'Instagram does not have what was prepared, or not yet.',
  },
  {
    code: 25,
    subcode: 2207050,
    meaning: 'rejected',
    failsAs: 'account_restricted',
    sentence: 'The account is restricted. Its owner must log in to the Instagram app.',
  },
  {
    code: 100,
    subcode: 2207023,
    meaning: 'rejected',
    sentence: 'Instagram does not know this type of media.',
  },
  {
    code: 100,
    subcode: 2207028,
    meaning: 'rejected',
    sentence: 'A carousel must have 2 to 10 images and videos.',
  },
  {
    code: 100,
    subcode: 2207040,
    meaning: 'rejected',
    sentence: 'The post tags too many accounts.',
  },
  {
    code: 352,
    subcode: 2207026,
    meaning: 'rejected',
    failsAs: 'media_invalid',
    sentence: 'Instagram does not support the format of the video.',
  },
  {
    code: 9004,
    subcode: 2207052,
    meaning: 'unavailable',
    failsAs: 'media_fetch_failed',
    sentence: 'Instagram could not fetch the media.',
  },
  {
    code: 9007,
    subcode: 2207027,
    meaning: 'unavailable',
    sentence: 'Instagram is not ready to publish the media.',
  },
  {
    code: 36000,
    subcode: 2207004,
    meaning: 'rejected',
    failsAs: 'media_too_large',
    sentence: 'The image is larger than 8 MB.',
  },
  {
    code: 36001,
    subcode: 2207005,
    meaning: 'rejected',
    failsAs: 'media_invalid',
    sentence: 'The image must be a JPEG.',
  },
  {
    code: 36003,
    subcode: 2207009,
    meaning: 'rejected',
    failsAs: 'media_invalid',
    sentence: 'The image is too wide or too tall: its ratio must be 4:5 to 1.91:1.',
  },
  {
    code: 36004,
    subcode: 2207010,
    meaning: 'rejected',
    sentence: 'The caption is too long.',
  },
  {
    subcode: 2207018,
    meaning: 'rejected',
    sentence: "An account in `collaborators` or `user_tags` doesn't exist, or can't be named.",
  },
  {
    code: 100,
    subcode: 33,
    meaning: 'rejected',
    sentence: 'The post is gone, or the login may not see it.',
  },
  { code: 100, meaning: 'rejected' },
];

/** The first entry that matches counts. */
export const instagramErrors: readonly MetaError[] = [
  ...own,
  ...facebookLoginErrors,
  ...sharedErrors,
];

/** Subcodes that mean the same in an answer and in the status of a container. */
const subcodesOfBoth = [
  2207001, 2207003, 2207004, 2207005, 2207009, 2207020, 2207026, 2207032, 2207052, 2207053, 2207057,
];

/**
 * By the subcode in the status of a container. The numbers from 2207076 on are from answers that clients have
 * published.
 */
export const instagramFailures: readonly ContainerFailure[] = [
  ...subcodesOfBoth.map(toFailure),
  {
    words: '2207076',
    canRepeat: true,
    failsAs: 'media_invalid',
    sentence: 'Instagram could not take the video.',
  },
  {
    words: '2207077',
    canRepeat: true,
    failsAs: 'media_fetch_failed',
    sentence: 'Instagram could not fetch the video.',
  },
  {
    words: '2207082',
    failsAs: 'media_invalid',
    sentence: "Instagram can't read the video or its audio.",
  },
  {
    words: '2207085',
    failsAs: 'media_invalid',
    sentence: 'Instagram does not support the format, the duration or the size of the video.',
  },
];

function toFailure(subcode: number): ContainerFailure {
  const { meaning, sentence, failsAs } = own.find((error) => error.subcode === subcode)!;
  return {
    words: String(subcode),
    ...(meaning !== 'rejected' && { canRepeat: true }),
    ...(failsAs && { failsAs }),
    sentence: sentence!,
  };
}
