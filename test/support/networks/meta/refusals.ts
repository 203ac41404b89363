// Errors of Meta's APIs, in their form and words.
// By https://developers.facebook.com/docs/graph-api/guides/error-handling and by answers that clients have published.
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
  readonly code: number | string;
  readonly details: Details;

  constructor(code: number | string, message: string, details: Details = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** `status` and `type` replace those of the error. */
  toResponse({ status, type }: Pick<Details, 'status' | 'type'> = {}): Response {
    const { subcode, isTransient, title, shown, data, headers, ...own } = this.details;
    const error = {
      message: this.message,
      type: type ?? own.type ?? 'OAuthException',
      code: this.code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      ...(data && { error_data: data }),
      ...(isTransient !== undefined && { is_transient: isTransient }),
      ...(title !== undefined && { error_user_title: title }),
      ...(shown !== undefined && { error_user_msg: shown }),
      fbtrace_id: traceId,
    };
    const init = { status: status ?? own.status ?? 400, ...(headers && { headers }) };
    return Response.json({ error }, init);
  }
}

/**
 * The refusal of the endpoint that takes a code:
 * https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
 */
export class TokenRefusal extends GraphRefusal {
  constructor(message: string) {
    super(400, message);
  }

  override toResponse(): Response {
    const { code, message: error_message } = this;
    const body = { error_type: 'OAuthException', code, error_message };
    return Response.json(body, { status: 400 });
  }
}

export const invalid = (message: string) => new GraphRefusal(100, `(#100) ${message}`);

export const missing = (id: string, method = 'GET') => {
  const verb = method === 'GET' ? 'get' : 'post';
  const message = `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return new GraphRefusal(100, message, { subcode: 33, type: 'GraphMethodException' });
};

/** Words in which Meta never refuses a post. */
export const notWelcome = { code: 4_242, message: 'This is not welcome here.' };

/** `limited`: the network's own error. No network says in whole seconds how long a limit lasts. */
export function refusalOf(kind: RefusalKind, limited: GraphRefusal): GraphRefusal {
  switch (kind) {
    case 'limited':
    case 'limited_with_retry_after':
      return limited;
    case 'unavailable':
      return new GraphRefusal(
        2,
        'An unexpected error has occurred. Please retry your request later.',
        {
          status: 503,
          isTransient: true,
        },
      );
    case 'error':
      return new GraphRefusal(1, 'An unknown error occurred', { status: 500 });
    case 'rejected':
      return new GraphRefusal(notWelcome.code, notWelcome.message);
  }
}

/** The refusal of the endpoint that takes a code. */
export function tokenRefusalOf(kind: RefusalKind, limited: GraphRefusal): GraphRefusal {
  const refusal = refusalOf(kind, limited);
  const isOfCaller = kind !== 'unavailable' && kind !== 'error';
  return isOfCaller ? new TokenRefusal(refusal.message) : refusal;
}
