// Reads an upload request: first the headers, which say which bytes it sends, and then the body.
import type { Hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { free } from '../../activities/media/free.ts';
import { within } from '../../activities/within.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';

/**
 * `whole`: the total may be known only at the end of the body. `part`: `from` is the offset of the first byte.
 * `ask`: the client asks where to continue.
 */
export type UploadRequest =
  | { kind: 'whole'; total: number | undefined }
  | { kind: 'part'; total: number; from: number; bytes: number }
  | { kind: 'ask'; total: number };

/** The bytes of each part, except the last one, are a multiple of this number. */
export const partBytes = 262_144;

/** Types that tools send by mistake. No image or video has them, and storing such a body would fail the media. */
const notBytes = /^(multipart\/form-data|application\/json)\b/i;

const contentRange = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/i;

export function readUploadRequest(headers: IncomingHttpHeaders): UploadRequest {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the bytes without Content-Encoding.');
  }
  if (notBytes.test(headers['content-type'] ?? '')) {
    throw new AppError(
      'unsupported_media_type',
      'Send the bytes of the file as the body, as they are.',
    );
  }
  const length = lengthOf(headers);
  const given = headers['content-range'];
  if (given === undefined) return { kind: 'whole', total: length };
  const [, first, last, all] = contentRange.exec(given.trim()) ?? [];
  const total = Number(all);
  if (all === undefined) {
    throw wrongRange(
      'invalid_range',
      'must be "bytes <first>-<last>/<total>" or "bytes */<total>"',
    );
  }
  if (first === undefined) {
    if (length !== undefined && length > 0) {
      throw wrongRange('body_not_allowed', 'must name the bytes of the body');
    }
    return { kind: 'ask', total };
  }
  const [from, end] = [Number(first), Number(last) + 1];
  const bytes = end - from;
  if (bytes <= 0 || end > total) {
    throw wrongRange('invalid_range', 'must have its first byte before its last, within the total');
  }
  if (length !== undefined && length !== bytes) {
    throw wrongRange('length_mismatch', `names ${bytes} bytes, but the body has ${length}`);
  }
  if (end < total && bytes % partBytes !== 0) {
    const message = `must name a multiple of ${partBytes} bytes, except for the last part`;
    throw wrongRange('part_size', message);
  }
  return { kind: 'part', from, bytes, total };
}

/** Undefined: the body is sent in chunks. */
function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

function wrongRange(code: string, message: string): AppError {
  return validationError([{ path: ['Content-Range'], code, message }]);
}

/** Lets a client send its body if it waits for permission. Node refuses every other expectation. */
export function askForBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { headers, httpVersion } = incoming;
  if (headers.expect !== undefined && httpVersion === '1.1') outgoing.writeContinue();
}

export interface UploadTimes {
  /** Longest wait for the next byte. */
  stalledMs: number;
  /** Longest time of one request. */
  totalMs: number;
}

/** Ends with an error if no byte arrives for too long, the body takes too long, or the client breaks off. */
export async function* readBody(
  incoming: IncomingMessage,
  { stalledMs, totalMs }: UploadTimes,
  hash: Hash | undefined,
): AsyncGenerator<Uint8Array> {
  const endsAt = performance.now() + totalMs;
  // Keeps the socket open, because the answer is sent on it.
  const chunks: AsyncIterator<Buffer> = incoming.iterator({ destroyOnReturn: false });
  for (;;) {
    const reading = chunks.next();
    reading.catch(() => undefined);
    const leftMs = endsAt - performance.now();
    const next = leftMs > 0 ? await within(Math.min(stalledMs, leftMs), reading) : undefined;
    if (!next) throw leftMs < stalledMs ? timeout(totalMs) : stalled(stalledMs);
    if (next.done) return;
    hash?.update(next.value);
    yield next.value;
    // The reader has used these bytes once it asks for the next ones.
    free(next.value);
  }
}

const hint = 'Ask where to continue, then send the rest.';

function stalled(ms: number): AppError {
  return new AppError('upload_stalled', `No byte arrived for ${ms / 1_000} seconds.`, { hint });
}

function timeout(ms: number): AppError {
  return new AppError('upload_timeout', `The upload took ${ms / 1_000} seconds.`, { hint });
}
