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
  /**
   * An error code of the API (`/docs` of your server), a `ClientErrorCode`, or the code of a `WebhookVerificationError`.
   * Later versions may add codes.
   */
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

export interface GraphqlMessage {
  data?: Record<string, unknown> | null;
  errors?: unknown;
}

type AnswerFacts = Pick<FanfareErrorOptions, 'status' | 'requestId' | 'retryAfter'>;

/** Reads a successful answer. Each one of Fanfare is an object with `data`. */
export function parseAnswer({ status, headers }: AnswerHead, text: string): { data: object } {
  const answer: GraphqlMessage = parseObject(text);
  if (typeof answer.data === 'object' && answer.data !== null)
    return { ...answer, data: answer.data };
  const facts = { status, requestId: headers.get('X-Request-Id') ?? undefined };
  throw toGraphqlError(answer, facts) ?? invalidAnswer('The answer is not one of Fanfare.', facts);
}

export type AnswerHead = Pick<Response, 'status' | 'headers'>;

export function invalidAnswer(
  message: string,
  facts: AnswerFacts & Pick<FanfareErrorOptions, 'isRetriable'> = {},
): FanfareError {
  const hint = 'Check the URL, and proxies in front of Fanfare.';
  return new FanfareError({ code: 'invalid_answer', message, hint, ...facts });
}

/** For an answer other than 2xx, of REST or of GraphQL. */
export function toError({ status, headers }: AnswerHead, text: string): FanfareError {
  const answer: { error?: unknown; request_id?: unknown } & GraphqlMessage = parseObject(text);
  const facts = {
    status,
    requestId: textOf(answer.request_id) ?? headers.get('X-Request-Id') ?? undefined,
    retryAfter: toSeconds(Number(headers.get('Retry-After') ?? Number.NaN)),
  };
  return (
    fromWire(answer.error, facts) ??
    toGraphqlError(answer, facts) ??
    invalidAnswer(`The server answered ${status} without an error of Fanfare.`, {
      ...facts,
      isRetriable: status === 408 || status === 429 || status >= 500,
    })
  );
}

/** Undefined: the message has no error of Fanfare. */
export function toGraphqlError(
  { errors }: GraphqlMessage,
  facts: AnswerFacts = {},
): FanfareError | undefined {
  const [error] = (Array.isArray(errors) ? errors : []) as {
    message: unknown;
    extensions?: object;
  }[];
  return fromWire(toWireNames({ ...error?.extensions, message: error?.message }), facts);
}

/** `error`: with the names of REST. Members of other types than the documented ones are left out. */
function fromWire(error: unknown, facts: AnswerFacts): FanfareError | undefined {
  if (!isObject(error) || typeof error['code'] !== 'string') return undefined;
  const { code, message, hint, is_retriable, issues, request_id, retry_after_s, ...details } =
    error;
  return new FanfareError({
    code,
    message: textOf(message) ?? code,
    hint: textOf(hint),
    issues: (Array.isArray(issues) ? issues : []).filter(isObject) as Issue[],
    isRetriable: is_retriable === true,
    status: facts.status,
    requestId: textOf(request_id) ?? facts.requestId,
    retryAfter: toSeconds(retry_after_s) ?? facts.retryAfter,
    details,
  });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

function toSeconds(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Empty: the text is no object of JSON. */
export function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
