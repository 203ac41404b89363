// An app of Meta in development mode lets only people with a role in it log in.
// https://developers.facebook.com/docs/development/build-and-test/app-modes
import { PlatformError } from '../platform-error.ts';

/** The error that everyone else gets, as users report it. The page with the error usually has no way back. */
const errors = {
  Facebook: 'App not active',
  Instagram: 'Insufficient developer role',
  Threads: 'The user has not accepted the invite to test the app',
} as const;

const explainMode = (productName: string) =>
  `in development mode, in which only people with a role in the app can log in. Ask ${productName} for an invitation and accept it, or ask ${productName} to publish the app. Then try again.`;

/** A hint for a user who logged in at `place` and came back without an answer from it. */
export const describeDeadEnd = (place: keyof typeof errors) => (productName: string) =>
  `Did ${place} show an error, such as '${errors[place]}'? Then the app that ${productName} uses may be ${explainMode(productName)}`;

/** Seen in callbacks that apps have logged. No document mentions them. */
const inactive = { code: '1349126', words: /development mode|app not (?:active|set ?up)/i };

/**
 * The query of Facebook's callback, with Facebook's errors in the form of RFC 6749, section 4.1.2.1. Throws if the app
 * is in development mode.
 */
export function readCallback(
  query: Record<string, string>,
  productName: string,
): Record<string, string> {
  const { code, error_code: errorCode, error_message: message } = query;
  if (code !== undefined || (errorCode === undefined && message === undefined)) return query;
  if (errorCode === inactive.code || inactive.words.test(message ?? '')) {
    const sentence = `The app that ${productName} uses at Facebook is ${explainMode(productName)}`;
    throw new PlatformError('rejected', sentence, { platformCode: 'app_not_approved' });
  }
  return { error_description: message ?? `Error ${errorCode}`, ...query };
}
