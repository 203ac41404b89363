// Errors of the Graph API, in the form and words of Meta.
// By https://developers.facebook.com/docs/graph-api/guides/error-handling,
// https://developers.facebook.com/docs/pages-api/error-codes and by answers that clients have published.
import type { RefusalKind } from '../contract/subject.ts';

interface Details {
  status?: number;
  subcode?: number;
  type?: string;
  title?: string;
  shown?: string;
  isTransient?: boolean;
  data?: Record<string, unknown>;
  headers?: Record<string, string>;
}

const traceId = 'AmFGcW_3hwDB7qFbl_QdebZ';

export class GraphRefusal extends Error {
  override readonly name = 'GraphRefusal';
  readonly code: number;
  readonly details: Details;

  constructor(code: number, message: string, details: Details = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** `status`: default the one of the error. */
  toResponse(status = this.details.status ?? 400): Response {
    const { type = 'OAuthException', subcode, isTransient, title, shown } = this.details;
    const { data, headers } = this.details;
    const error = {
      message: this.message,
      type,
      code: this.code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      ...(data && { error_data: data }),
      ...(isTransient !== undefined && { is_transient: isTransient }),
      ...(title !== undefined && { error_user_title: title }),
      ...(shown !== undefined && { error_user_msg: shown }),
      fbtrace_id: traceId,
    };
    return Response.json({ error }, { status, ...(headers && { headers }) });
  }
}

export const invalid = (message: string) => new GraphRefusal(100, `(#100) ${message}`);

export const missing = (id: string, method: string) => {
  const verb = method === 'GET' ? 'get' : 'post';
  const message = `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return new GraphRefusal(100, message, { subcode: 33, type: 'GraphMethodException' });
};

export const unknownPath = (path: string) =>
  new GraphRefusal(2500, `Unknown path components: ${path}`);

export const badToken = (message = 'Invalid OAuth access token.') => new GraphRefusal(190, message);

export const needsPageToken = () =>
  new GraphRefusal(190, 'A Page access token is required for this call.', { subcode: 2069032 });

export const noPostPermission = () =>
  new GraphRefusal(
    200,
    '(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission',
    { status: 403 },
  );

export const noReadPermission = () =>
  new GraphRefusal(283, '(#283) Requires pages_read_engagement permission to manage the object');

export const noCommentPermission = () =>
  new GraphRefusal(200, '(#200) Requires pages_manage_engagement permission to manage the object', {
    status: 403,
  });

export const duplicate = () =>
  new GraphRefusal(506, 'Duplicate status message', {
    subcode: 1455006,
    isTransient: false,
    title: 'Duplicate Status Update',
    shown:
      'This status update is identical to the last one you posted. Try posting something different, or delete your previous update.',
  });

/** `start`: of the part that Facebook has not got. */
export const wrongRange = (start: number, end: number) =>
  new GraphRefusal(6000, 'There was a problem uploading your video file. Please try again.', {
    subcode: 1363037,
    isTransient: true,
    data: { start_offset: String(start), end_offset: String(end) },
  });

/** Without a time: the header of the wait has whole minutes. */
const limited = () =>
  new GraphRefusal(
    80001,
    '(#80001) There have been too many calls to this Page account. Wait a bit and try again. For more info, please refer to https://developers.facebook.com/docs/graph-api/overview/rate-limiting.',
  );

/** As in the answer to an upload. */
export const uploadRefused = (type: string, message: string, retriable: boolean) =>
  Response.json({ debug_info: { retriable, type, message } }, { status: 400 });

/** Facebook refuses no post in these words. */
export const notWelcome = { code: 4_242, message: 'This is not welcome here.' };

export function refuse(kind: RefusalKind): Response {
  switch (kind) {
    case 'limited':
    case 'limited_with_retry_after':
      return limited().toResponse();
    case 'unavailable':
      return new GraphRefusal(2, 'Service temporarily unavailable', {
        status: 503,
        isTransient: true,
      }).toResponse();
    case 'error':
      return new GraphRefusal(1, 'An unknown error occurred', { status: 500 }).toResponse();
    case 'rejected':
      return new GraphRefusal(notWelcome.code, notWelcome.message).toResponse();
  }
}
