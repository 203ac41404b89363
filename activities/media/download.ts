// Downloads the bytes behind a user's URL: under the URL guard, within limits of time and size.
import type { MediaErrorCode } from '../../schema/media.ts';
import { BlockedAddressError } from '../egress/url-guard.ts';
import { EncodedBodyError } from '../egress/guarded-fetch.ts';

/** `isFinal`: trying again wouldn't help. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly code: MediaErrorCode;
  readonly isFinal: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { isFinal: boolean; code?: MediaErrorCode },
  ) {
    super(message, options);
    this.code = options.code ?? 'media_unreachable';
    this.isFinal = options.isFinal;
  }
}

export interface DownloadLimits {
  /** Timeout of a request until its status line arrives. */
  statusMs: number;
  /** The longest time without a byte. */
  silenceMs: number;
  /** A body may take `bodyMs`, plus the time that its bytes so far take at `bytesPerSecond`. */
  bodyMs: number;
  bytesPerSecond: number;
  /** Timeout of the whole download, including the time that the store takes. */
  totalMs: number;
}

export const defaultDownloadLimits: DownloadLimits = {
  statusMs: 10_000,
  silenceMs: 30_000,
  bodyMs: 60_000,
  bytesPerSecond: 16_384,
  totalMs: 15 * 60_000,
};

export interface DownloadRequest {
  url: string;
  maxBytes: number;
  limits: DownloadLimits;
  signal: AbortSignal;
}

const maxRedirects = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Other answers from 400 to 499 are final. */
const temporary: ReadonlySet<number> = new Set([408, 425, 429]);

/** Returns the body. Reading it can throw a `DownloadError`, too. */
export async function download(
  fetch: typeof globalThis.fetch,
  { url, maxBytes, limits, signal }: DownloadRequest,
): Promise<ReadableStream<Uint8Array>> {
  const stopping = new AbortController();
  const stop = (message: string) => stopping.abort(new DownloadError(message, { isFinal: false }));
  const anySignal = AbortSignal.any([signal, stopping.signal]);
  const startedAt = performance.now();
  const silence = `The server sent nothing for ${limits.statusMs} ms.`;

  async function request(from: string): Promise<Response> {
    const timer = setTimeout(stop, limits.statusMs, silence);
    const headers = { accept: 'image/*,video/*', 'user-agent': 'Fanfare' };
    try {
      return await fetch(from, { headers, signal: anySignal });
    } catch (error) {
      throw toDownloadError(error, anySignal);
    } finally {
      clearTimeout(timer);
    }
  }

  async function follow(): Promise<Response> {
    let at = url;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const response = await request(at);
      if (!redirects.has(response.status)) return response;
      await response.body?.cancel();
      at = redirectOf(response, at);
    }
    throw refused(`The URL redirects more than ${maxRedirects} times.`);
  }

  async function* read(body: ReadableStream<Uint8Array>) {
    const { bodyMs, silenceMs, bytesPerSecond, totalMs } = limits;
    let endsAt = performance.now() + bodyMs;
    const total = setTimeout(
      stop,
      totalMs - (performance.now() - startedAt),
      `The file did not arrive within ${totalMs / 1_000} seconds.`,
    );
    const reader = body.getReader();
    try {
      for (;;) {
        const leftMs = Math.max(0, endsAt - performance.now());
        const isSlow = leftMs < silenceMs;
        const timer = setTimeout(
          stop,
          Math.min(leftMs, silenceMs),
          isSlow
            ? 'The server sends the bytes too slowly.'
            : `The server sent nothing for ${silenceMs} ms.`,
        );
        const { done, value } = await reader.read().finally(() => clearTimeout(timer));
        if (done) return;
        endsAt += (value.byteLength / bytesPerSecond) * 1_000;
        const pausedAt = performance.now();
        yield value;
        // The store has taken this time.
        endsAt += performance.now() - pausedAt;
      }
    } catch (error) {
      throw toDownloadError(error, anySignal);
    } finally {
      clearTimeout(total);
      await reader.cancel().catch(() => undefined);
    }
  }

  const response = await follow();
  const { status, body } = response;
  const declared = lengthOf(response);
  if (response.ok && declared !== null && declared > maxBytes) {
    await body?.cancel();
    throw tooLarge(maxBytes);
  }
  if (response.ok) return ReadableStream.from(body ? read(body) : []);
  await body?.cancel();
  const isFinal = status < 500 && !temporary.has(status);
  throw new DownloadError(`The server answered ${status}.`, { isFinal });
}

export function tooLarge(maxBytes: number): DownloadError {
  const message = `The file has more than ${maxBytes} bytes, and no more are accepted.`;
  return new DownloadError(message, { isFinal: true, code: 'media_too_large' });
}

function refused(message: string, cause?: unknown): DownloadError {
  return new DownloadError(message, { isFinal: true, cause });
}

function lengthOf({ headers }: Response): number | null {
  const text = headers.get('content-length');
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function redirectOf({ status, headers }: Response, from: string): string {
  const location = headers.get('location');
  const to = location === null ? null : URL.parse(location, from);
  if (!to) throw refused(`The server answered ${status} without a valid location.`);
  if (to.protocol !== 'https:' && to.protocol !== new URL(from).protocol) {
    throw refused(`The URL redirects to ${to.protocol}//, not to https://.`);
  }
  return to.href;
}

/** The error of an aborted call is the reason of its signal. */
function toDownloadError(error: unknown, { aborted, reason }: AbortSignal): unknown {
  if (aborted) return reason;
  let code: string | undefined;
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof BlockedAddressError) {
      return refused(
        'The URL leads to an address that Fanfare is not allowed to connect to.',
        error,
      );
    }
    if (at instanceof EncodedBodyError) return refused(at.message, error);
    if ('code' in at && typeof at.code === 'string') code = at.code;
  }
  const detail = code === undefined ? '' : ` (${code})`;
  const message = `The server gave no complete answer${detail}.`;
  return new DownloadError(message, { isFinal: false, cause: error });
}
