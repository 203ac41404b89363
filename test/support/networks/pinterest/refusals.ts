// How the simulated Pinterest refuses a request. Codes and words are those of the description's examples, and of answers
// that clients have published, as activities/platforms/pinterest/api.ts names them.
import type { RefusalKind } from '../contract/subject.ts';
import { Refusal } from '../strict-requests.ts';

/** The form of every error. */
export class PinterestRefusal extends Refusal {
  readonly number: number;

  constructor(status: number, number: number, message: string, headers = {}) {
    super(status, String(number), message, headers);
    this.number = number;
  }

  override toResponse(): Response {
    const { status, number: code, message, headers } = this;
    return Response.json({ code, message }, { status, headers });
  }
}

export const invalid = (message: string) =>
  new PinterestRefusal(400, 1, `Invalid request: ${message}`);
export const unauthenticated = () => new PinterestRefusal(401, 2, 'Authentication failed.');
export const lacksScope = () =>
  new PinterestRefusal(
    401,
    3,
    'Your token does not have sufficient permissions to perform this operation. Please ensure your token is authorized with the correct set of scopes.',
  );
export const unsupportedApp = () =>
  new PinterestRefusal(401, 3, 'Your application consumer type is not supported');
export const onlyTrial = () =>
  new PinterestRefusal(
    403,
    29,
    'Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.',
  );
export const notPermitted = () =>
  new PinterestRefusal(403, 29, 'You are not permitted to access that resource.');
export const notAuthorized = () =>
  new PinterestRefusal(403, 7, 'Not authorized to access board or Pin.');
export const noBoard = () => new PinterestRefusal(404, 40, 'Board not found.');
export const noSection = () =>
  new PinterestRefusal(404, 2031, "Sorry! We couldn't find this board section.");
export const noPin = () => new PinterestRefusal(404, 50, 'Pin not found.');
export const invalidGrant = () =>
  new PinterestRefusal(401, 283, 'The authorization grant is invalid');

const limited = (headers: Record<string, string> = {}) =>
  new PinterestRefusal(429, 8, 'This request exceeded a rate limit.', headers);

const refusals: Record<RefusalKind, () => Refusal> = {
  limited: () => limited(),
  limited_with_retry_after: () =>
    limited({ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }),
  unavailable: () => new PinterestRefusal(503, 11, 'Down for maintenance.'),
  error: () => new PinterestRefusal(500, 12, 'Something went wrong on our end. Sorry about that.'),
  rejected: notAuthorized,
};

export function refuse(kind: RefusalKind, request?: Request): Response {
  const path = request && new URL(request.url).pathname;
  if (kind === 'rejected' && path?.endsWith('/oauth/token')) return invalidGrant().toResponse();
  const refusal = refusals[kind]();
  return path === uploadPath ? refuseUpload(refusal.status) : refusal.toResponse();
}

/** The bucket that takes the bytes of videos. */
export const uploadPath = '/pinterest-media-upload/';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export const refuseUpload = (status: number, code = 'AccessDenied', message = 'Access Denied') =>
  new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    { status, headers: { 'content-type': 'application/xml' } },
  );
