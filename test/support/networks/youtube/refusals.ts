// Errors of the simulated YouTube, in the form of Google's JSON APIs.
// By https://developers.google.com/youtube/data/guides/core-errors, read on 2026-11-27.
import { Refusal } from '../strict-requests.ts';

export class GoogleError extends Refusal {
  readonly reason: string;
  readonly domain: string;

  constructor(status: number, reason: string, message: string, domain = 'youtube.video') {
    super(status, reason, message);
    this.reason = reason;
    this.domain = domain;
  }

  override toResponse(): Response {
    const { status: code, message, reason, domain, headers } = this;
    const error = { code, message, errors: [{ message, domain, reason }] };
    return Response.json({ error }, { status: code, headers });
  }
}

export const badRequest = (message: string, reason = 'badRequest') =>
  new GoogleError(400, reason, message);

export const notFound = (reason: string, what: string) =>
  new GoogleError(404, reason, `The ${what} identified with the request cannot be found.`);

export const invalidToken = () =>
  new GoogleError(401, 'authError', 'Invalid Credentials', 'global');

export const lacksScope = () =>
  new GoogleError(
    403,
    'insufficientPermissions',
    'Request had insufficient authentication scopes.',
    'global',
  );

export const quotaExceeded = () =>
  new GoogleError(
    403,
    'quotaExceeded',
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    'youtube.quota',
  );

export const uploadLimitExceeded = () =>
  badRequest('The user has exceeded the number of videos they may upload.', 'uploadLimitExceeded');

export const notWelcome = () =>
  new GoogleError(
    403,
    'forbidden',
    'Access forbidden. The request may not be properly authorized.',
  );
