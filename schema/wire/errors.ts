// The errors that Fanfare answers with: one class, one table of codes, the same in REST and GraphQL.

import { countOf } from './count-of.ts';

interface ErrorKind {
  readonly status: number;
  readonly isRetriable: boolean;
}

export const errorKinds = {
  malformed_json: { status: 400, isRetriable: false },
  unauthorized: { status: 401, isRetriable: false },
  insufficient_scope: { status: 403, isRetriable: false },
  quota_exceeded: { status: 403, isRetriable: false },
  not_found: { status: 404, isRetriable: false },
  method_not_allowed: { status: 405, isRetriable: false },
  conflict: { status: 409, isRetriable: false },
  account_in_use: { status: 409, isRetriable: false },
  idempotency_conflict: { status: 409, isRetriable: false },
  cursor_expired: { status: 410, isRetriable: false },
  payload_too_large: { status: 413, isRetriable: false },
  unsupported_media_type: { status: 415, isRetriable: false },
  validation_error: { status: 422, isRetriable: false },
  rate_limited: { status: 429, isRetriable: true },
  slow_consumer: { status: 503, isRetriable: true },
  internal: { status: 500, isRetriable: true },
  unavailable: { status: 503, isRetriable: true },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/** One fault of one field. `path` is exact: `platform_posts[1].account_id`. */
export interface Issue {
  path: string;
  code: string;
  message: string;
  actual?: string | number;
  limit?: string | number;
}

export interface AppErrorOptions {
  hint?: string;
  issues?: Issue[];
  /** Extra members of the error object, such as `oldest_cursor`. */
  details?: Record<string, unknown>;
  retryAfterS?: number;
  cause?: unknown;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly options: AppErrorOptions;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.options = options;
  }
}

/** The refusal of a request whose body or query has faults. */
export function validationError(issues: Issue[], hint?: string): AppError {
  const [first, ...others] = issues;
  const options = { issues, ...(hint === undefined ? {} : { hint }) };
  if (!first) return new AppError('validation_error', 'The request is not valid.', options);
  const message = `${first.path}: ${first.message}${others.length > 0 ? ` (and ${countOf(others.length, 'more fault')})` : ''}`;
  return new AppError('validation_error', message, options);
}

export function notFound(what: string, id: string): AppError {
  return new AppError('not_found', `No ${what} has the id ${id.slice(0, 64)}.`);
}
