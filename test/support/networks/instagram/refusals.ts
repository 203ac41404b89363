// Errors of the simulated Instagram, in their forms.
// By https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes, read on
// 2026-11-26, and by answers that clients have published: the status 403 and the words of 2207051, the words of 2207027
// and 2207052, and the type of graph.instagram.com.
import type { RefusalKind } from '../contract/subject.ts';

interface Details {
  status?: number;
  subcode?: number;
  title?: string;
  shown?: string;
  isTransient?: boolean;
}

export class InstagramRefusal extends Error {
  override readonly name = 'InstagramRefusal';
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }

  /** `type`: as the host names its errors. */
  toResponse(type = 'OAuthException'): Response {
    const { error, ...others } = this.body;
    const body = error ? { error: { type, ...error } } : others;
    return Response.json(body, { status: this.status });
  }
}

const traceId = 'AbCdEfGhIjKlMnOpQrStUv1';

export function graphError(
  code: number | string,
  message: string,
  { status = 400, subcode, title, shown, isTransient = false }: Details = {},
): InstagramRefusal {
  return new InstagramRefusal(status, {
    error: {
      message,
      code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      is_transient: isTransient,
      ...(title !== undefined && { error_user_title: title }),
      ...(shown !== undefined && { error_user_msg: shown }),
      fbtrace_id: traceId,
    },
  });
}

/** Of the token endpoint. */
export const tokenError = (message: string) =>
  new InstagramRefusal(400, {
    error_type: 'OAuthException',
    code: 400,
    error_message: message,
  });

export const badParameter = (message: string) => graphError(100, `(#100) ${message}`);

export const notFound = (id: string) =>
  graphError(
    100,
    `Unsupported get request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
    { subcode: 33 },
  );

export const containerGone = (id: string) =>
  graphError(24, 'The requested resource does not exist', {
    subcode: 2207008,
    title: 'Media Builder Not Found',
    shown: `The media builder with creation id = ${id} does not exist or has been expired.`,
  });

export const notReady = () =>
  graphError(9007, 'Media ID is not available', {
    subcode: 2207027,
    title: 'Cannot Publish',
    shown: 'The media is not ready for publishing, please wait for a moment',
  });

/** Although it says so, this is no limit. */
export const blocked = () =>
  graphError(4, 'Application request limit reached', {
    status: 403,
    subcode: 2207051,
    title: 'action is blocked',
    shown:
      'We restrict certain activity to protect our community. Tell us if you think we made a mistake.',
  });

export const outOfQuota = () =>
  graphError(9, 'The user has reached the maximum number of posts.', {
    subcode: 2207042,
    title: 'Action is blocked',
    shown:
      'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
  });

export const notFetched = () =>
  graphError(9004, 'Only photo or video can be accepted as media type.', {
    subcode: 2207052,
    title: "Media download has failed. The media URI doesn't meet our requirements.",
    shown: 'The media could not be fetched from this URI.',
  });

export const tooLarge = () =>
  graphError(36000, 'The image size is too large.', {
    subcode: 2207004,
    title: 'Image size too large',
    shown: 'The image is too large to download. It should be less than 8 MiB.',
  });

export const notJpeg = () =>
  graphError(36001, 'The image format is not supported.', {
    subcode: 2207005,
    shown: 'The image format unknown is not supported. Supported formats are: JPEG.',
  });

export const wrongRatio = () =>
  graphError(36003, 'The aspect ratio is not supported.', {
    subcode: 2207009,
    shown: 'The submitted image has an aspect ratio that is not within 4:5 to 1.91:1.',
  });

export const noPermission = () =>
  graphError(10, '(#10) Application does not have permission for this action', { status: 403 });

const limited = () =>
  graphError(
    80002,
    '(#80002) There have been too many calls to this Instagram account. Wait a bit and try again.',
  );

/** Instagram refuses no post in these words. */
export const notWelcome = { code: 4_242, message: 'This is not welcome here.' };

export function refuse(kind: RefusalKind, isToken: boolean): Response {
  const refusal = refusalOf(kind);
  if (!isToken || kind === 'unavailable' || kind === 'error') return refusal.toResponse();
  const { message } = refusal.body['error'] as { message: string };
  return tokenError(message).toResponse();
}

/** A limit lasts for minutes. */
function refusalOf(kind: RefusalKind): InstagramRefusal {
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
      return graphError(1, 'An unknown error occurred', { status: 500 });
    case 'rejected':
      return graphError(notWelcome.code, notWelcome.message);
  }
}
