// A request to a user's URL, and the ways it can end.
import type { DeliveryErrorCode, Timings } from '../../schema/deliveries.ts';
import type { SocketTrace } from './guarded-socket.ts';
import { BlockedAddressError } from './url-guard.ts';

/** Sent as POST. */
export interface SafeRequest {
  /** The project that sends the request. Connections and lookups count per project. */
  owner: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer | null;
  /** Counted from the start of the connection. Waiting for a free connection doesn't count. */
  deadlineMs?: number;
  /** Rejects with `NotBegunError` if no connection came free within this time. */
  beginWithinMs?: number;
  /** Ends the request, even a running one, by rejecting with the signal's reason. */
  signal?: AbortSignal;
}

/** The caller decides which statuses are failures. Here, only a redirect is a failure. */
export type SendErrorCode = Exclude<DeliveryErrorCode, 'http_4xx' | 'http_5xx'>;

/** Timings of a request that opened no connection. */
export const noConnection = { dns_ms: null, connect_ms: null, tls_ms: null } as const;

interface SendTrace {
  remoteAddress: string | null;
  /**
   * Counted from the start of the attempt. `dns`, `connect` and `tls` are present only on a new connection.
   */
  timings: Timings;
}

/** A response whose head came in time. Its body may be cut. */
export interface SafeResponse extends SendTrace {
  ok: true;
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface SafeFailure extends SendTrace {
  ok: false;
  errorCode: SendErrorCode;
  message: string;
  /** Present on a redirect. */
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
}

export type SendResult = SafeResponse | SafeFailure;

/** The receiver was never reached because all connections to it were busy. */
export class NotBegunError extends Error {
  override readonly name = 'NotBegunError';
  /** Time until a connection may be free. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export type Failure = Pick<SafeFailure, 'errorCode' | 'message'>;

/** The error of a response without a complete head. With a complete head, the status decides. */
export const tooLarge: Failure = {
  errorCode: 'response_too_large',
  message: 'The headers of the answer are too large.',
};

export function failureOfError(error: unknown, trace: SocketTrace, isWritten: boolean): Failure {
  const reason = error instanceof Error ? (causeOf(error) ?? error) : new Error(String(error));
  const message = reason.message || codeOf(reason);
  if (reason instanceof BlockedAddressError) return { errorCode: 'blocked_address', message };
  // undici itself refuses a head of more than 16 KiB.
  if (codeOf(reason) === 'UND_ERR_HEADERS_OVERFLOW') return tooLarge;
  if (isWritten || trace.phase === 'open') return { errorCode: 'connection_reset', message };
  if (trace.phase === 'lookup') {
    return {
      errorCode: 'dns_failed',
      message: `The host's name can't be resolved (${codeOf(reason)}).`,
    };
  }
  if (trace.phase === 'tls') return { errorCode: 'tls_failed', message: tlsReason(reason) };
  const errorCode = codeOf(reason) === 'ETIMEDOUT' ? 'connect_timeout' : 'connection_refused';
  return { errorCode, message };
}

export function failureOfDeadline(
  deadlineMs: number,
  trace: SocketTrace,
  isWritten: boolean,
): Failure {
  const within = `within ${deadlineMs} ms.`;
  if (isWritten) return { errorCode: 'response_timeout', message: `No answer ${within}` };
  if (trace.phase === 'lookup') {
    return { errorCode: 'dns_failed', message: `The host's name was not resolved ${within}` };
  }
  return { errorCode: 'connect_timeout', message: `No connection ${within}` };
}

/** Whether the error means that the receiver closed the connection. */
export function isEndOfSocket(error: Error): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

/** Whether undici refuses to send the request, which is the caller's error, not the receiver's. */
export function isCallersError(error: Error): boolean {
  return ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'].includes(codeOf(error));
}

/** If several addresses failed, returns the first failure that isn't our own timeout. */
function causeOf(error: Error): Error | null {
  if (!(error instanceof AggregateError)) return null;
  const errors = error.errors.filter((each) => each instanceof Error);
  return errors.find((each) => codeOf(each) !== 'ETIMEDOUT') ?? errors[0] ?? null;
}

/** OpenSSL's reason, without the file and line of its source. */
function tlsReason(error: Error): string {
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
