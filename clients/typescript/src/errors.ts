// The error that every call throws, and how an answer becomes one.
import type { Schemas } from './operations.ts';
import { toWireNames } from './wire-names.ts';

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

type ErrorAnswer = Partial<Schemas['ErrorResponse']>;

export interface GraphqlMessage {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: Record<string, unknown> }[];
}

/** For an answer other than 2xx, of REST or of GraphQL. */
export function toError({ status, headers }: Response, text: string): FanfareError {
  const { error, request_id, ...answer } = parseObject(text) as ErrorAnswer & GraphqlMessage;
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  const requestId = request_id ?? headers.get('X-Request-Id') ?? undefined;
  if (typeof error?.code === 'string') {
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
  const ofGraphql = toGraphqlError(answer, { status, requestId, retryAfter });
  return (
    ofGraphql ??
    new FanfareError({
      code: 'invalid_answer',
      message: `The server answered ${status} without an error of Fanfare.`,
      hint: 'Check the URL, and proxies in front of Fanfare.',
      isRetriable: status === 408 || status === 429 || status >= 500,
      status,
      requestId,
      retryAfter,
    })
  );
}

/** Undefined: the message has no error of Fanfare. */
export function toGraphqlError(
  { errors }: GraphqlMessage,
  answer: Pick<FanfareErrorOptions, 'status' | 'requestId' | 'retryAfter'> = {},
): FanfareError | undefined {
  const [error] = Array.isArray(errors) ? errors : [];
  const { code, hint, isRetriable, issues, requestId, retryAfterS, ...details } =
    error?.extensions ?? {};
  if (!error || typeof code !== 'string') return undefined;
  return new FanfareError({
    code,
    message: error.message,
    hint: hint as string | undefined,
    issues: toWireNames(issues) as Issue[] | undefined,
    isRetriable: isRetriable === true,
    status: answer.status,
    requestId: (requestId as string | undefined) ?? answer.requestId,
    retryAfter: (retryAfterS as number | undefined) ?? answer.retryAfter,
    details: toWireNames(details) as Record<string, unknown>,
  });
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
