// The errors that Fanfare answers with: one class, one table of codes, the same in REST and GraphQL.
import { z } from 'zod';
import { countOf } from './count-of.ts';
import { render, type Path, type Text } from './names.ts';
import { Bytes } from './shared-fields.ts';

interface ErrorKind {
  readonly status: number;
  readonly isRetriable: boolean;
}

export const errorKinds = {
  malformed_json: { status: 400, isRetriable: false },
  malformed_csv: { status: 400, isRetriable: false },
  unauthorized: { status: 401, isRetriable: false },
  insufficient_scope: { status: 403, isRetriable: false },
  origin_not_allowed: { status: 403, isRetriable: false },
  quota_exceeded: { status: 403, isRetriable: false },
  upload_url_invalid: { status: 403, isRetriable: false },
  not_found: { status: 404, isRetriable: false },
  method_not_allowed: { status: 405, isRetriable: false },
  not_acceptable: { status: 406, isRetriable: false },
  upload_stalled: { status: 408, isRetriable: true },
  upload_timeout: { status: 408, isRetriable: true },
  conflict: { status: 409, isRetriable: false },
  upload_in_progress: { status: 409, isRetriable: true },
  account_in_use: { status: 409, isRetriable: false },
  reconnect_required: { status: 409, isRetriable: false },
  has_replies: { status: 409, isRetriable: false },
  not_supported_by_network: { status: 409, isRetriable: false },
  too_late: { status: 409, isRetriable: false },
  media_expired: { status: 409, isRetriable: false },
  queue_full: { status: 409, isRetriable: false },
  queue_paused: { status: 409, isRetriable: false },
  idempotency_conflict: { status: 409, isRetriable: false },
  cursor_expired: { status: 410, isRetriable: false },
  upload_url_expired: { status: 410, isRetriable: false },
  payload_too_large: { status: 413, isRetriable: false },
  unsupported_media_type: { status: 415, isRetriable: false },
  validation_error: { status: 422, isRetriable: false },
  rate_limited: { status: 429, isRetriable: true },
  slow_consumer: { status: 503, isRetriable: true },
  internal: { status: 500, isRetriable: true },
  unavailable: { status: 503, isRetriable: true },
  media_not_configured: { status: 503, isRetriable: false },
  media_storage_full: { status: 507, isRetriable: true },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/** Facts about an error, beside its code and message. */
export const ErrorDetails = z
  .object({
    required_scope: z.string().meta({ description: 'Scope that the API key lacks.' }),
    limit: z.number().meta({ format: 'double', description: 'Limit that the request exceeds.' }),
    actual: z.number().meta({ format: 'double', description: 'What the request has.' }),
    post_status: z
      .string()
      .meta({ description: 'Status of the post, which conflicts with the request.' }),
    post_id: z.string().meta({ description: 'ID of the post that prevents the request.' }),
    media_status: z.string().meta({ description: 'Status of the media.' }),
    replay_id: z.string().meta({ description: 'ID of the replay that is running.' }),
    retry_after_s: z
      .int()
      .meta({ description: 'Seconds until the request can succeed, as in `Retry-After`.' }),
    received_bytes: Bytes.meta({ description: 'Number of bytes of the upload received so far.' }),
    position: z.int().meta({ description: 'Position where the JSON breaks, from 0.' }),
    line: z.int().meta({ description: 'Line where the JSON or the CSV breaks, from 1.' }),
    column: z.int().meta({ description: 'Column where the JSON breaks, from 1.' }),
    cursor: z.string().meta({ description: 'Cursor to resume the live stream from.' }),
    oldest_cursor: z
      .string()
      .meta({ description: 'Oldest cursor that a live stream can resume from.' }),
  })
  .partial();
export type ErrorDetails = z.infer<typeof ErrorDetails>;

/** An error lists at most this many issues. */
export const maxIssues = 100;

/** An invalid field of a request. */
export interface Issue {
  path: Path;
  code: string;
  message: Text;
  actual?: string | number;
  limit?: string | number;
  /** For an issue of a post: the other members that validation shows. */
  ofPost?: {
    platform_post_index: number | null;
    account_id: string | null;
    platform: string | null;
    severity: string;
  };
}

export interface AppErrorOptions {
  hint?: Text;
  issues?: Issue[];
  /** Extra members of the error object, such as `oldest_cursor`. */
  details?: ErrorDetails;
  retryAfterS?: number;
  cause?: unknown;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** The message in the words of any API. `message` has the words of REST. */
  readonly text: Text;
  readonly options: AppErrorOptions;

  constructor(code: ErrorCode, text: Text, options: AppErrorOptions = {}) {
    super(render(text), 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.text = text;
    this.options = options;
  }

  /** The same error with further members. */
  withDetails(details: ErrorDetails): AppError {
    const { options } = this;
    return new AppError(this.code, this.text, {
      ...options,
      details: { ...options.details, ...details },
    });
  }

  /** The same error with other paths, for a request that has the fields elsewhere. */
  withPaths(move: (path: Path) => Path): AppError {
    const { issues } = this.options;
    if (!issues) return this;
    const text: Text = (names) =>
      render(this.text, { ...names, path: (path) => names.path(move(path)) });
    return new AppError(this.code, text, {
      ...this.options,
      issues: issues.map((issue) => ({ ...issue, path: move(issue.path) })),
    });
  }
}

/** The error for a request that has invalid fields. */
export function validationError(issues: Issue[], hint?: Text): AppError {
  const [first, ...others] = issues;
  const options = { issues, ...(hint === undefined ? {} : { hint }) };
  if (!first) return new AppError('validation_error', 'The request is not valid.', options);
  const more = others.length > 0 ? ` (and ${countOf(others.length, 'more issue')})` : '';
  const text: Text = (names) => `${names.path(first.path)}: ${render(first.message, names)}${more}`;
  return new AppError('validation_error', text, options);
}

export function notFound(resource: string, id: string): AppError {
  return new AppError('not_found', `No ${resource} has the id ${id.slice(0, 64)}.`);
}
