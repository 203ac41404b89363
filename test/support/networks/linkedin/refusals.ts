// LinkedIn's errors, in its own forms and words.
// By https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling and by answers that
// others have quoted, such as https://github.com/Arisamiga/Linkedin-RSS/issues/5.
import type { RefusalKind } from '../contract/subject.ts';

export class LinkedInRefusal extends Error {
  readonly status: number;
  readonly more: Record<string, unknown>;

  constructor(status: number, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }

  toResponse(): Response {
    const { status, message, more } = this;
    return Response.json({ status, message, ...more }, { status });
  }
}

export const invalidToken = () =>
  new LinkedInRefusal(401, 'Invalid access token', {
    serviceErrorCode: 65600,
    code: 'INVALID_ACCESS_TOKEN',
  });
export const revokedToken = () =>
  new LinkedInRefusal(401, 'The token used in the request has been revoked by the user', {
    serviceErrorCode: 65601,
    code: 'REVOKED_ACCESS_TOKEN',
  });
export const expiredToken = () =>
  new LinkedInRefusal(401, 'The token used in the request has expired', {
    serviceErrorCode: 65602,
    code: 'EXPIRED_ACCESS_TOKEN',
  });
export const noPermission = (call: string) =>
  new LinkedInRefusal(403, `Not enough permissions to access: ${call}`, {
    serviceErrorCode: 100,
    code: 'ACCESS_DENIED',
  });
export const invalid = (message: string, code = 'INVALID_VALUE_FOR_FIELD') =>
  new LinkedInRefusal(400, message, {
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    errorDetails: { inputErrors: [{ description: message, input: {}, code }] },
  });
export const unprocessable = (message: string, code: string, description: string) =>
  new LinkedInRefusal(
    422,
    `com.linkedin.content.common.exception.BadRequestResponseException: ${message}`,
    {
      errorDetailType: 'com.linkedin.common.error.BadRequest',
      errorDetails: { inputErrors: [{ description, input: {}, code }] },
    },
  );
export const throttled = (whose = '') =>
  new LinkedInRefusal(
    429,
    `Resource level throttle ${whose}limit for calls to this resource is reached.`,
    { serviceErrorCode: 101 },
  );

export function refuse(kind: RefusalKind): Response {
  switch (kind) {
    case 'limited':
      return throttled().toResponse();
    case 'limited_with_retry_after': {
      const response = throttled().toResponse();
      response.headers.set('retry-after', '1');
      return response;
    }
    case 'unavailable':
      return new LinkedInRefusal(503, 'Service Unavailable').toResponse();
    case 'error':
      return new LinkedInRefusal(500, 'Internal Server Error').toResponse();
    case 'rejected':
      return unprocessable('Not welcome', 'NOT_WELCOME', 'This is not welcome here.').toResponse();
  }
}
