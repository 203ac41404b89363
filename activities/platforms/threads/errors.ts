// What the errors of Threads mean to a post, each with a sentence for people. The page of Threads shows the tables.
import { sharedErrors, type ContainerFailure, type MetaError } from '../meta/errors.ts';

/**
 * Threads documents no error codes. These codes are from answers that clients of Threads have published, such
 * as https://github.com/fbsamples/threads_api/issues/70 and
 * https://github.com/tirthpatell/threads-go/issues/30.
 */
const own: readonly MetaError[] = [
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
    sentence:
      'Threads blocked the post as spam. The owner of the account finds details in the app of Threads.',
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

/** The first entry that matches counts. */
export const threadsErrors: readonly MetaError[] = [...own, ...sharedErrors];

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
  // `INVALID_ASPEC` is Threads' own spelling.
  { words: 'INVALID_ASPEC', sentence: 'The video is too wide or too tall.' },
  { words: 'BIT_RATE', sentence: 'The bit rate of the video is above 100 Mbps.' },
  { words: 'INVALID_DURATION', sentence: 'The video is longer than 5 minutes.' },
  { words: 'FRAME_RATE', sentence: 'The video must have 23 to 60 frames per second.' },
  { words: 'AUDIO_CHANNEL', sentence: 'The audio of the video must be mono or stereo.' },
  { words: 'UNKNOWN', canRepeat: true, sentence: 'Threads could not process the media.' },
];
