// Sends one HTTP request to a network, and reads its whole response.
import { PlatformError } from './platform-error.ts';
import type { Fetch } from './platform.ts';
import { toTransportError } from './transport-errors.ts';

/** `commit`: a lost answer may have published the post, so the call is repeated only after a check. */
export type CallKind = 'commit' | 'other';

/** A body that is read while it is sent, so it can be sent only once. */
export interface Upload {
  body: ReadableStream<Uint8Array>;
  headers: { 'content-type': string; 'content-length': string };
}

export interface NetworkCall {
  url: string;
  /** Default: POST with `json` or `upload`, otherwise GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  json?: unknown;
  /** Sent instead of `json`. */
  upload?: Upload;
  kind: CallKind;
  signal: AbortSignal;
}

export interface NetworkAnswer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or the text if it isn't JSON. */
  body: unknown;
}

/** Resolves with any status. Throws a PlatformError if no complete answer arrives. */
export async function callNetwork(fetch: Fetch, call: NetworkCall): Promise<NetworkAnswer> {
  const { url, json, kind, signal } = call;
  const upload = call.upload && watchUpload(call.upload);
  try {
    if (signal.aborted) throw new PlatformError('unavailable', 'Fanfare stopped before the call.');
    const response = await fetch(url, {
      method: call.method ?? (json === undefined && !upload ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...call.upload?.headers,
        ...call.headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(upload && { body: upload.body, duplex: 'half' }),
      redirect: 'manual',
      signal,
    });
    const { status, headers } = response;
    return { status, headers, body: parseJson(await response.text()) };
  } catch (error) {
    upload?.checkRead();
    // If the last byte of a body never left, the network can't have accepted the body.
    throw toTransportError(error, upload?.hasLeft() === false ? 'other' : kind, url);
  } finally {
    upload?.stop();
  }
}

/** Reads the body on demand, and knows how much of it was read. */
function watchUpload({ body, headers }: Upload) {
  const reader = body.getReader();
  let unreadBytes = Number(headers['content-length']);
  let failure: PlatformError | undefined;
  return {
    body: new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (done) return controller.close();
            unreadBytes -= value.length;
            controller.enqueue(value);
          } catch (cause) {
            failure = new PlatformError('unavailable', 'The media could not be read.', { cause });
            throw cause;
          }
        },
      },
      { highWaterMark: 0 },
    ),
    hasLeft: () => unreadBytes <= 0,
    /** Throws if the bytes could not be read. */
    checkRead() {
      if (failure) throw failure;
    },
    /** Frees what the body holds. */
    stop: () => void reader.cancel().catch(() => undefined),
  };
}

export const isSuccess = ({ status }: NetworkAnswer): boolean => status >= 200 && status <= 299;

/**
 * Returns the text itself if it isn't JSON. An integer that JavaScript would round becomes a text with its
 * digits.
 */
export function parseJson(text: string): unknown {
  try {
    return /\d{16}/.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text);
  } catch {
    return text;
  }
}

type Reviver = Parameters<typeof JSON.parse>[1];

/** `context`: https://tc39.es/proposal-json-parse-with-source/ */
function keepDigits(_name: string, value: unknown, { source = '' }: { source?: string }): unknown {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(source) ? source : value;
}
