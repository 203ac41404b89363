// What the errors of Facebook mean to a post of a page. Documented codes:
// https://developers.facebook.com/docs/graph-api/guides/error-handling,
// https://developers.facebook.com/docs/pages-api/error-codes and
// https://developers.facebook.com/docs/video-api/guides/reels-publishing. The others are from answers that clients have
// published, such as https://github.com/gitroomhq/postiz-app.
import { sharedErrors, type MetaError } from '../meta/errors.ts';
import { facebookLoginErrors } from '../meta/facebook-errors.ts';
import { PlatformError } from '../platform-error.ts';

const ownErrors: readonly MetaError[] = [
  {
    code: 1,
    subcode: 2853006,
    meaning: 'rejected',
    failsAs: 'permission_missing',
    sentence: 'The login may not do this on the page.',
  },
  {
    code: 100,
    words: /No permission to publish the video/,
    meaning: 'rejected',
    failsAs: 'permission_missing',
    sentence: 'The login may not publish videos on the page.',
  },
  {
    code: 100,
    subcode: 33,
    meaning: 'rejected',
    sentence: 'The object was deleted, or the login may not see it.',
  },
  {
    code: 506,
    meaning: 'rejected',
    sentence: "The text is the same as that of the page's last post.",
  },
  {
    either: 1366051,
    meaning: 'rejected',
    sentence: 'The page has posted these images before.',
  },
  {
    code: 368,
    subcode: 1390008,
    meaning: 'rate_limited',
    retryAfterMs: 3_600_000,
    sentence: 'The page posts too fast.',
  },
  {
    code: 368,
    subcode: 1346003,
    meaning: 'rejected',
    failsAs: 'content_blocked',
    sentence: 'Facebook considers the content abusive.',
  },
  {
    code: 368,
    subcode: 1404102,
    meaning: 'rejected',
    failsAs: 'content_blocked',
    sentence: "The content is against Facebook's Community Standards.",
  },
  {
    code: 368,
    subcode: 1404006,
    meaning: 'rejected',
    failsAs: 'account_restricted',
    sentence: 'The user must pass a security check at www.facebook.com.',
  },
  {
    code: 368,
    subcode: 1404078,
    meaning: 'rejected',
    failsAs: 'account_restricted',
    sentence:
      'The user must complete the Page Publishing Authorization in the settings of the page.',
  },
  {
    code: 368,
    subcode: 1404112,
    meaning: 'rejected',
    failsAs: 'account_restricted',
    sentence: "The user's account is limited for now. The reason shows at www.facebook.com.",
  },
  {
    either: 4854002,
    meaning: 'rejected',
    failsAs: 'account_restricted',
    sentence: 'The user must confirm their identity before the page can publish.',
  },
  {
    either: 1609005,
    meaning: 'rejected',
    sentence: "Facebook can't read the page of the link.",
  },
  {
    either: 1609010,
    meaning: 'rejected',
    sentence: "Facebook can't read the page of the link.",
  },
  { either: 1609008, meaning: 'rejected', sentence: 'The link must not lead to Facebook.' },
  { either: 2061006, meaning: 'rejected', sentence: 'Facebook refuses the URL of the link.' },
  {
    either: 1366046,
    meaning: 'rejected',
    sentence: 'An image must be a JPEG or a PNG of less than 4 MB.',
  },
  { either: 1349125, meaning: 'rejected', sentence: "Facebook can't read the file." },
  { either: 2069019, meaning: 'rejected', sentence: "Facebook can't read the file." },
  {
    either: 1363037,
    meaning: 'unavailable',
    sentence: 'Facebook asks for another part of the video.',
  },
  { either: 1363047, meaning: 'lost', sentence: "Facebook's service for videos is down." },
  {
    either: 1363040,
    meaning: 'rejected',
    sentence: 'The ratio of width to height of a reel must be between 9:16 and 16:9.',
  },
  {
    either: 1363127,
    meaning: 'rejected',
    sentence: 'A reel must have at least 540 × 960 pixels.',
  },
  { either: 1363128, meaning: 'rejected', sentence: 'A reel must last 3 to 90 seconds.' },
  {
    either: 1363129,
    meaning: 'rejected',
    sentence: 'A reel must have 24 to 60 frames per second.',
  },
  { code: 1705, meaning: 'rejected', sentence: 'The page may not comment on this post.' },
  { code: 100, meaning: 'rejected' },
];

/** The first entry that matches counts. */
export const facebookErrors: readonly MetaError[] = [
  ...ownErrors,
  ...facebookLoginErrors,
  ...sharedErrors,
];

/** The page already has this post, or a similar one. */
export function isDuplicate(error: unknown): boolean {
  const code = error instanceof PlatformError ? (error.options.platformCode ?? '') : '';
  return /^506\b|\b1366051$/.test(code);
}
