// Sends the bytes of media to their upload URL in parts, and continues after a break.
import { sleep, toMs, type Duration } from './durations.ts';
import { FanfareError, invalidAnswer, parseAnswer, toError } from './errors.ts';
import { openSource, type ByteSource, type MediaSource } from './media-source.ts';
import type { Schemas } from './operations.ts';
import { delayMs } from './retry.ts';
import { fetchText, type Connection } from './send.ts';
import { isWithUser } from './with-user.ts';

/** The API takes parts of multiples of 262,144 bytes. */
const partBytes = 8 * 1_048_576;
const partTimeoutMs = 5 * 60_000;

export interface UploadOptions {
  /** Number of bytes of a stream. Without it, a stream is read into memory first. */
  size?: number;
  /** Longest time of one part of 8 MiB. Default: 5 minutes. */
  timeout?: Duration;
  /** Ends the upload. It then throws the signal's reason. */
  signal?: AbortSignal;
  /** How often it is tried again without a byte of progress. Default: 5. */
  maxRetries?: number;
}

/**
 * Uploads to the `upload_url` of media, which needs no API key, so that browsers can upload. Returns the media.
 * Continues an upload that broke off earlier.
 */
export async function uploadFile(
  uploadUrl: string,
  source: MediaSource,
  options: UploadOptions = {},
): Promise<Schemas['Media']> {
  const bytes = await openSource(source, options.size);
  return sendBytes((...parameters) => fetch(...parameters), uploadUrl, bytes, {
    ...options,
    isBegun: true,
  });
}

export async function sendBytes(
  fetch: Connection['fetch'],
  uploadUrl: string,
  source: ByteSource,
  options: UploadOptions & { isBegun: boolean },
): Promise<Schemas['Media']> {
  const { timeout, signal, maxRetries = 5 } = options;
  const timeoutMs = timeout === undefined ? partTimeoutMs : toMs('timeout', timeout);
  if (!URL.canParse(uploadUrl)) throw invalidAnswer('The upload URL is no URL.');
  // Another server must not get the bytes. Browsers show 308 without a `Location` only to a `fetch` that may follow.
  const redirect = isWithUser() ? 'follow' : 'manual';

  async function put(range: string, body: Blob | null): Promise<Reply> {
    const headers = { 'Content-Range': `bytes ${range}/${source.size}` };
    const init = { method: 'PUT', headers, body, redirect } as const;
    const { response, text } = await fetchText(fetch, uploadUrl, init, { timeoutMs, signal });
    // 308 says where to continue.
    if (response.status !== 200 && response.status !== 308) throw toError(response, text);
    const { data } = parseAnswer(response, text) as { data: Schemas['Media'] };
    return { isDone: response.status === 200, media: data };
  }

  async function putPart(from: number): Promise<Reply> {
    const to = Math.min(from + partBytes, source.size);
    return put(`${from}-${to - 1}`, await source.read(from, to));
  }

  /** The next byte to send. Undefined: the server knows. */
  let next: number | undefined = options.isBegun ? undefined : 0;
  let furthest = 0;
  for (let failures = 0; ;) {
    try {
      const { isDone, media } = next === undefined ? await put('*', null) : await putPart(next);
      if (isDone) return media;
      const { received_bytes: received } = media;
      if (!Number.isInteger(received) || received < 0 || received > source.size) {
        throw invalidAnswer('`received_bytes` is no position in the upload.', { status: 308 });
      }
      if (next !== undefined && received <= next) {
        const facts = { status: 308, isRetriable: true };
        throw invalidAnswer('The server took no bytes of the part.', facts);
      }
      next = received;
      if (next > furthest) failures = 0;
      furthest = Math.max(furthest, next);
    } catch (error) {
      // 409: a part that was cut off is still being received, or the server has other bytes.
      const isBreak = error instanceof FanfareError && (error.isRetriable || error.status === 409);
      if (!isBreak || failures === maxRetries) throw error;
      await sleep(delayMs(failures++, error.retryAfter), signal);
      next = undefined;
    }
  }
}

interface Reply {
  isDone: boolean;
  media: Schemas['Media'];
}
