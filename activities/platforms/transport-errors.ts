// Distinguishes calls that certainly never reached their network from calls with an unknown outcome.
import { PlatformError } from './platform-error.ts';

/** The connection was never opened, so no byte of the request was sent. */
const beforeConnection = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
]);

/**
 * Turns an error of `fetch` into a PlatformError. In `commit`, only a failure to connect counts as
 * `unavailable`: a reset, a timeout or an abort may come after the network accepted the post. `other` calls
 * can be repeated safely, so every failure is `unavailable`.
 */
export function toTransportError(
  error: unknown,
  phase: 'commit' | 'other',
  url?: string,
): PlatformError {
  if (error instanceof PlatformError) return error;
  const { code, wasConnecting } = findCause(error);
  const options = { cause: error, ...(code === undefined ? {} : { platformCode: code }) };
  if (code === 'blocked_address') {
    const message =
      'Fanfare is not allowed to connect to this address. Use a public address that begins with https://.';
    return new PlatformError('rejected', message, options);
  }
  if (wasConnecting) {
    const host = url && URL.canParse(url) ? new URL(url).host : 'The network';
    return new PlatformError('unavailable', `${host} could not be reached.`, options);
  }
  if (phase === 'commit') {
    const message = 'The network gave no answer; whether it took the post is unknown.';
    return new PlatformError('unknown_outcome', message, options);
  }
  return new PlatformError('unavailable', 'The network gave no answer.', options);
}

interface Cause {
  code: string | undefined;
  wasConnecting: boolean;
}

/** The deepest error with a code. `fetch` wraps the socket's error as `cause`. */
function findCause(error: unknown): Cause {
  let found: Cause = { code: undefined, wasConnecting: false };
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : undefined;
    if (code !== undefined) found = { code, wasConnecting: failedToConnect(at, code) };
  }
  return found;
}

function failedToConnect(error: Error, code: string): boolean {
  if (beforeConnection.has(code) || isCertificateError(code)) return true;
  // A name with several addresses fails with all of their errors at once.
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every(isSystemCall);
  }
  return isSystemCall(error);
}

function isSystemCall(error: unknown): boolean {
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return syscall === 'connect' || syscall === 'getaddrinfo';
}

/** Whether the code is one of node:tls or OpenSSL. A request is written only after the handshake. */
function isCertificateError(code: string): boolean {
  return (
    code.startsWith('ERR_TLS_CERT_') ||
    /^(CERT_|UNABLE_TO_(GET|VERIFY)_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT)/.test(code)
  );
}
