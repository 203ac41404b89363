// Turns anything thrown into an answer. Unexpected errors are logged and masked.
import type { ErrorObject } from '../../schema/wire/error-object.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { AppError, errorKinds, maxIssues, notFound } from '../../schema/wire/errors.ts';
import { timeOfId } from '../../schema/wire/ids.ts';
import { render, restNames, type Names } from '../../schema/wire/names.ts';
import type { Context } from './context.ts';
import { logRefusal, logUnavailable } from './limited-lines.ts';
import { RateLimited, rateLimitHeaders } from './rate-limit.ts';
import { nameRequest } from './request-id.ts';

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  error: ErrorObject;
}

/** Logs a refusal. Logs and masks an error that is no AppError. */
export function toAppError(
  { log }: Pick<Context, 'log'>,
  thrown: unknown,
  requestId: string | undefined,
): AppError {
  if (thrown instanceof AppError) {
    logRefusal(log, thrown, requestId);
    return thrown;
  }
  if (isBackendAway(thrown)) {
    logUnavailable(log, thrown, requestId);
    const message = 'A backend of Fanfare is unavailable.';
    return new AppError('unavailable', message, { retryAfterS: 2, cause: thrown });
  }
  log.error({ component: 'http', err: thrown, request_id: requestId }, 'a request failed');
  const message = 'Something failed in Fanfare. The log names the failure by the request ID.';
  return new AppError('internal', message, { cause: thrown });
}

export function toErrorAnswer(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  error: AppError,
  names: Names = restNames,
): ErrorAnswer {
  const { hint, issues, details, retryAfterS } = error.options;
  const { status, isRetriable } = errorKinds[error.code];
  return {
    status,
    headers: {
      ...(error.code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer realm="fanfare"' } : {}),
      ...(error instanceof RateLimited ? rateLimitHeaders(error.rateLimit) : {}),
      ...(retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) }),
    },
    error: {
      code: error.code,
      message: render(error.text, names),
      ...(hint === undefined ? {} : { hint: render(hint, names) }),
      is_retriable: isRetriable,
      ...(issues && {
        issues: issues.slice(0, maxIssues).map(({ ofPost, ...issue }) => {
          const path = names.path(issue.path);
          return {
            ...(ofPost && { actual: null, limit: null, ...ofPost, field: path }),
            ...issue,
            path,
            message: render(issue.message, names),
          };
        }),
      }),
      ...(retryAfterS === undefined ? {} : { retry_after_s: retryAfterS }),
      ...details,
      docs_url: `${publicUrl}/docs#error-${error.code}`,
    },
  };
}

/** A whole response, for a request that matches no route. */
export function toErrorResponse(
  context: Pick<Context, 'log' | 'publicUrl'>,
  thrown: unknown,
  requestId: string,
): { status: number; headers: Record<string, string>; body: string } {
  const { error, ...answer } = toErrorAnswer(context, toAppError(context, thrown, requestId));
  const body = JSON.stringify({ error, request_id: requestId });
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...answer.headers,
  };
  return { ...answer, headers, body };
}

/** Answers a request outside of the REST API, which names its request by itself. */
export function respondError(
  context: Pick<Context, 'log' | 'publicUrl'>,
  request: Request,
  thrown: unknown,
): Response {
  const requestId = nameRequest(request.headers.get('X-Request-Id'));
  const { body, ...head } = toErrorResponse(context, thrown, requestId);
  return new Response(body, head);
}

const dayMs = 86_400_000;

/** The 404 of an event or delivery. If the ID is older than the retention, the hint names the retention. */
export function notKept(
  { config }: Pick<Context, 'config'>,
  kind: 'event' | 'delivery',
  id: string,
): AppError {
  const { recordsMs } = config.retention;
  const madeAt = timeOfId(kind, id);
  const error = notFound(kind, id);
  if (!madeAt || madeAt.getTime() >= Date.now() - recordsMs) return error;
  const days = recordsMs / dayMs;
  return new AppError(error.code, error.message, {
    hint: `Events and deliveries are kept for ${countOf(days, 'day')}.`,
  });
}

/** SQLSTATEs of temporary failures. Two characters stand for a whole class. */
const awaySqlStates = new Set([
  '08', // connection exceptions
  '25006', // read-only, as after a failover
  '25P03', // the session was idle in its transaction for too long
  '25P04', // the transaction took too long
  '40001', // lost a race, may be repeated
  '40P01', // lost a race, may be repeated
  '53', // disk full, out of memory, too many connections
  '55000', // still in recovery
  '57014', // the statement took too long
  '57P01', // is shutting down
  '57P02', // crashed
  '57P03', // is starting
  '57P04', // the database was dropped
  '57P05', // the session was idle for too long
  '58030', // the disk failed
]);
const awaySocketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
]);
/** `pg` gives these errors no code. */
const awayMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Whether Postgres can't be reached or can't write. Connection errors come wrapped in various ways. */
function isBackendAway(thrown: unknown, depth = 0): thrown is Error {
  if (!(thrown instanceof Error) || depth > 4) return false;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  if (awaySqlStates.has(code) || awaySqlStates.has(code.slice(0, 2))) return true;
  if (awaySocketCodes.has(code)) return true;
  if (awayMessages.test(thrown.message)) return true;
  const inner = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  return inner.some((cause) => isBackendAway(cause, depth + 1));
}
