// Answers upload requests: bodies, headers, and the errors of the store in the words of the API.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { WriteError } from '../../activities/media/segments.ts';
import { StoreError } from '../../activities/media/store/store.ts';
import type { MediaRow } from '../../schema/database/tables.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';

const busyRetryS = 5;
/** A client that is cut off while it sends never reads the response, so it may send for a while. */
const drainMs = 5_000;

/** The error for a client that found no place among the uploads of this server. */
export function tooMany(): AppError {
  return new AppError('unavailable', 'This server receives too many uploads at once.', {
    retryAfterS: busyRetryS,
  });
}

/** The error for a client that sends bytes of media while another client sends bytes of the same media. */
export function alreadyRunning(): AppError {
  return new AppError('upload_in_progress', 'Another upload of these bytes is running.', {
    hint: 'Wait until it ends. Then ask where to continue.',
    retryAfterS: busyRetryS,
  });
}

export function wrongStart({ received_bytes }: MediaRow): AppError {
  const message = `The upload continues at byte ${received_bytes}.`;
  return new AppError('conflict', message, { details: { received_bytes } });
}

export function failure({ error_code, error_message }: MediaRow): AppError {
  return validationError(
    [{ path: [], code: error_code ?? 'media_invalid', message: error_message ?? '' }],
    'The media have failed. To upload a different file, create new media.',
  );
}

export function translate(thrown: unknown): unknown {
  if (thrown instanceof StoreError && thrown.code === 'full') {
    const message = 'The media store has no space left.';
    return new AppError('media_storage_full', message, { cause: thrown });
  }
  if (thrown instanceof StoreError) {
    const message = 'The media store is not available.';
    return new AppError('unavailable', message, { retryAfterS: busyRetryS, cause: thrown });
  }
  if (thrown instanceof WriteError && thrown.code === 'taken_over') {
    return new AppError('conflict', 'Another upload has taken over, or the media were deleted.');
  }
  return thrown;
}

export function allowBrowser(outgoing: ServerResponse): void {
  outgoing
    .writeHead(204, {
      'Access-Control-Allow-Methods': 'PUT, OPTIONS',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, Content-Range, X-Request-Id',
      'Access-Control-Max-Age': '86400',
    })
    .end();
}

export function send(
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: object,
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  outgoing
    .writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': bytes.byteLength,
      'Cache-Control': 'no-store',
      ...headers,
    })
    .end(bytes);
}

/**
 * The header with the bytes received so far. There is none for 0 bytes, because HTTP can't write an empty
 * range.
 */
export function rangeOf(received: unknown): Record<string, string> {
  return typeof received === 'number' && received > 0 ? { Range: `bytes=0-${received - 1}` } : {};
}

/** Reads what a refused client still sends, for a while. */
export function drain(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  const timer = setTimeout(() => incoming.destroy(), drainMs).unref();
  incoming.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  incoming.resume();
}

export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
