// The error that every call throws, and how an answer becomes one.
import type { Schemas } from './operations.ts';

export type Issue = Schemas['Issue'];

/** Codes of failures that have no answer of Fanfare. */
export type ClientErrorCode = 'configuration' | 'connection_failed' | 'timeout' | 'invalid_answer';

export interface FanfareErrorOptions {
  code: string;
  message: string;
  hint?: string | undefined;
  issues?: readonly Issue[] | undefined;
  requestId?: string | undefined;
  isRetriable?: boolean | undefined;
  status?: number | undefined;
  retryAfter?: number | undefined;
  details?: Readonly<Record<string, unknown>> | undefined;
  cause?: unknown;
}

export class FanfareError extends Error {
  override readonly name: string = 'FanfareError';
  /** A code of https://…/docs#errors of your server, or a `ClientErrorCode`. Later versions may add codes. */
  readonly code: string;
  /** How to fix the error, if there is advice. */
  readonly hint: string | undefined;
  /** One for each invalid field of the request, with its exact `path`. */
  readonly issues: readonly Issue[];
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  /** Whether the same call may succeed later. */
  readonly isRetriable: boolean;
  /** HTTP status. Undefined: no answer arrived. */
  readonly status: number | undefined;
  /** Seconds to wait before the next try. */
  readonly retryAfter: number | undefined;
  /** Other facts, such as `required_scope`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(options: FanfareErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.hint = options.hint;
    this.issues = options.issues ?? [];
    this.requestId = options.requestId;
    this.isRetriable = options.isRetriable ?? false;
    this.status = options.status;
    this.retryAfter = options.retryAfter;
    this.details = options.details ?? {};
  }
}

export function configurationError(message: string): FanfareError {
  return new FanfareError({ code: 'configuration', message });
}

/** For an answer other than 2xx. */
export function toError({ status, headers }: Response, text: string): FanfareError {
  const { error, request_id } = parseError(text);
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  const requestId = request_id ?? headers.get('X-Request-Id') ?? undefined;
  if (!error) {
    return new FanfareError({
      code: 'invalid_answer',
      message: `The server answered ${status} without an error of Fanfare.`,
      hint: 'Check the URL, and proxies in front of Fanfare.',
      isRetriable: status === 408 || status === 429 || status >= 500,
      status,
      requestId,
      retryAfter,
    });
  }
  const { code, message, hint, is_retriable, issues, retry_after_s, ...details } = error;
  return new FanfareError({
    code,
    message,
    hint,
    issues,
    isRetriable: is_retriable,
    status,
    requestId,
    retryAfter: retry_after_s ?? retryAfter,
    details,
  });
}

type ErrorAnswer = Partial<Schemas['ErrorResponse']>;

function parseError(text: string): ErrorAnswer {
  try {
    const answer = JSON.parse(text) as ErrorAnswer | null;
    return typeof answer?.error?.code === 'string' ? answer : {};
  } catch {
    return {};
  }
}
