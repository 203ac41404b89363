// Threads' errors, in their three forms. Threads documents no codes: these are from answers that its clients have
// published, such as https://github.com/fbsamples/threads_api/issues/70.
import type { RefusalKind } from '../contract/subject.ts';

export class ThreadsRefusal extends Error {
  override readonly name = 'ThreadsRefusal';
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }

  toResponse(): Response {
    return Response.json(this.body, { status: this.status });
  }
}

interface Details {
  status?: number;
  subcode?: number;
  title?: string;
  shown?: string;
  isTransient?: boolean;
}

const traceId = 'AbCdEfGhIjKlMnOpQrStUv1';

/** As all of Meta's Graph APIs refuse. */
export function graphError(code: number, message: string, details: Details = {}): ThreadsRefusal {
  const { status = 400, subcode, title, shown, isTransient = false } = details;
  return new ThreadsRefusal(status, {
    error: {
      message,
      type: 'OAuthException',
      code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      is_transient: isTransient,
      ...(title !== undefined && { error_user_title: title }),
      ...(shown !== undefined && { error_user_msg: shown }),
      fbtrace_id: traceId,
    },
  });
}

/** As Threads' own API refuses, often with the status 500 for a mistake of the caller. */
export const apiError = (
  code: number | string,
  message: string,
  { status = 500, subcode }: Details = {},
) =>
  new ThreadsRefusal(status, {
    error: {
      message,
      type: 'THApiException',
      code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      fbtrace_id: traceId,
    },
  });

/** Of the token endpoint. */
export const tokenError = (message: string) =>
  new ThreadsRefusal(400, {
    error_type: 'OAuthException',
    code: 400,
    error_message: message,
  });

export const notFound = (id: string) =>
  graphError(24, 'The requested resource does not exist', {
    subcode: 4279009,
    title: 'Media Not Found',
    shown: `The media with id ${id} cannot be found.`,
  });

export const invalidChildren = (ids: string) =>
  graphError(100, 'Invalid parameter', {
    subcode: 4279004,
    title: 'Invalid Carousel Children',
    shown: `The children with IDs ${ids} are invalid, nonexistent, or expired.`,
  });

export const limited = () =>
  graphError(613, 'Calls to this api have exceeded the rate limit.', { subcode: 4279002 });

export const noPermission = () =>
  apiError(10, 'Application does not have permission for this action');

/** With the URL, as some of Meta's answers have it. */
export const notDownloaded = (url: string) =>
  graphError(1, 'An unknown error occurred', {
    subcode: 2207052,
    title: 'Media download has failed.',
    shown: `The media could not be fetched from this URI: ${url}`,
  });

export const notAnImage = () =>
  graphError(1, 'An unknown error occurred', {
    subcode: 2207005,
    title: 'Unsupported format',
    shown: 'The image format unknown is not supported.',
  });

/** Threads refuses no post in these words. */
export const notWelcome = { code: 4_242, message: 'This is not welcome here.' };

export function refuse(kind: RefusalKind, isToken: boolean): Response {
  const refusal = refusalOf(kind);
  if (!isToken || kind === 'unavailable' || kind === 'error') return refusal.toResponse();
  const { error } = refusal.body as { error: { message: string } };
  return tokenError(error.message).toResponse();
}

/** Threads never says for how long it limits. */
function refusalOf(kind: RefusalKind): ThreadsRefusal {
  switch (kind) {
    case 'limited':
    case 'limited_with_retry_after':
      return limited();
    case 'unavailable':
      return graphError(2, 'An unexpected error has occurred. Please retry your request later.', {
        status: 503,
        isTransient: true,
      });
    case 'error':
      return apiError(1, 'An unknown error occurred');
    case 'rejected':
      return apiError(notWelcome.code, notWelcome.message, { status: 400 });
  }
}
