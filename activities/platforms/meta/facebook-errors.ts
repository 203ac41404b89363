// Errors that Facebook and Instagram have in common, in addition to the errors of all of Meta's networks.
import type { MetaError } from './errors.ts';

const mustConfirm =
  'The user must first log in at Facebook or Instagram, and do what is asked there. Then connect the account again.';
const lacksPermission = 'The app or the login lacks a permission.';
const madeTooManyCalls = 'The account has made too many calls.';

/**
 * https://developers.facebook.com/docs/graph-api/guides/error-handling
 * Limits: https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 */
export const facebookLoginErrors: readonly MetaError[] = [
  { code: 190, subcode: 459, meaning: 'reauthorize', sentence: mustConfirm },
  { code: 190, subcode: 464, meaning: 'reauthorize', sentence: mustConfirm },
  {
    code: 190,
    subcode: 467,
    meaning: 'revoked',
    sentence: 'The login has ended. Connect the account again.',
  },
  // Other pages of the login may be good.
  {
    code: 190,
    subcode: 492,
    meaning: 'rejected',
    failsAs: 'permission_missing',
    sentence:
      'The user may no longer act for the page, or must turn on two-factor authentication. Then connect the account again.',
  },
  {
    code: 102,
    meaning: 'revoked',
    sentence: 'The login is no longer valid. Connect the account again.',
  },
  {
    code: 3,
    meaning: 'rejected',
    failsAs: 'app_not_approved',
    sentence: 'The app may not do this. Its owner must ask Meta for a review.',
  },
  { code: 10, meaning: 'rejected', failsAs: 'permission_missing', sentence: lacksPermission },
  {
    code: 200,
    upTo: 299,
    meaning: 'rejected',
    failsAs: 'permission_missing',
    sentence: lacksPermission,
  },
  { code: 341, meaning: 'rate_limited', sentence: madeTooManyCalls },
  { code: 80001, meaning: 'rate_limited', sentence: madeTooManyCalls },
  { code: 80002, meaning: 'rate_limited', sentence: madeTooManyCalls },
];
