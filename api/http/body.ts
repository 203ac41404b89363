// Reads a request's body within the limits of its size and its values, and reports where its JSON breaks.
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { AppError } from '../../schema/wire/errors.ts';
import { unexpectedToken } from './json-position.ts';

/** Counts the bytes, because a Content-Length may be absent or wrong. */
export async function readBody(request: Request, maxBytes: number): Promise<Buffer> {
  const declared = Number(request.headers.get('Content-Length') ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes, declared);
  if (!request.body) return Buffer.alloc(0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await readOn(reader);
    if (done) return Buffer.concat(chunks, size);
    size += value.byteLength;
    if (size > maxBytes) {
      void discard(reader);
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

async function readOn(reader: BodyReader) {
  try {
    return await reader.read();
  } catch (cause) {
    throw new AppError('malformed_json', 'The body ended before its declared length.', { cause });
  }
}

/** Reads until the server ends the request, so that the server can close the connection without a reset. */
async function discard(reader: BodyReader): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client has gone.
  }
}

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

const csvType = /^text\/csv\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

export type BodyType = 'json' | 'csv';

/** The type of the body. A request without a body needs no Content-Type. */
export function requireType(request: Request, bytes: Buffer, takesCsv: boolean): BodyType {
  const given = request.headers.get('Content-Type')?.trim() ?? '';
  const isCsv = takesCsv && csvType.test(given);
  if (bytes.length === 0) return isCsv ? 'csv' : 'json';
  const encoding = request.headers.get('Content-Encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body without Content-Encoding.');
  }
  if (jsonType.test(given)) return 'json';
  if (isCsv) return 'csv';
  throw new AppError(
    'unsupported_media_type',
    `Send the body as JSON${takesCsv ? ' or CSV' : ''}.`,
    {
      hint: `Content-Type: application/json${takesCsv ? ', or text/csv' : ''}`,
    },
  );
}

/** The number of values that a body may have, members and items included. Parsing and checking them takes up to 60 ms. */
export const maxJsonValues = 10_000;

const newline = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
/** `{`, `[` and `,`: each begins a value, except in an empty object or array. */
const starts = new Set(Buffer.from('{[,'));

/** Counts before the text is parsed. In text that isn't JSON, it counts everything that looks like a value. */
export function hasTooManyValues(json: Buffer): boolean {
  let values = 0;
  for (let at = 0; at < json.length && values <= maxJsonValues; at++) {
    const byte = json[at]!;
    if (byte === quote) at = endOfString(json, at);
    else if (starts.has(byte)) values++;
  }
  return values > maxJsonValues;
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An empty body counts as `{}`, so that its missing fields are reported. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  if (hasTooManyValues(bytes)) {
    const message = `The body must have at most ${maxJsonValues} values.`;
    throw new AppError('payload_too_large', message, { details: { limit: maxJsonValues } });
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new AppError('malformed_json', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformedJson(text, (error as Error).message);
  }
}

function malformedJson(text: string, reason: string): AppError {
  const position = errorPosition(text, reason);
  let line = 1;
  let lineStart = 0;
  // One `indexOf` for each line takes 25 times as long if all lines are empty.
  for (let at = 0; at < position; at++) {
    if (text.charCodeAt(at) !== newline) continue;
    line++;
    lineStart = at + 1;
  }
  const column = position - lineStart + 1;
  const message = `The body is not valid JSON: line ${line}, column ${column}.`;
  return new AppError('malformed_json', message, { details: { position, line, column } });
}

/** V8's errors have no code. Most messages name the position, except the one about an unexpected token. */
function errorPosition(text: string, reason: string): number {
  const named = / at position (\d+)/.exec(reason)?.[1];
  if (named !== undefined) return Number(named);
  if (!reason.endsWith(unplaced)) return text.length;
  return unexpectedToken(text);
}

const unplaced = 'is not valid JSON';

/** Without a Content-Length, the actual size isn't known. */
function tooLarge(limit: number, actual?: number): AppError {
  const has = actual === undefined ? '' : ` and has ${actual}`;
  const message = `The body must have at most ${limit} bytes${has}.`;
  return new AppError('payload_too_large', message, {
    details: { limit, ...(actual !== undefined && { actual }) },
  });
}

/**
 * Limits the bodies of requests to hosted pages and the sandbox: handlers of POST and PUT get a request whose body has
 * been read. Hono's own limit fails without a Content-Length here.
 */
export function limitBody(
  maxBytes: number,
  onError: (c: HonoContext, error: AppError) => Response | Promise<Response>,
): MiddlewareHandler {
  return async (c, next) => {
    const { url, method, headers, body } = c.req.raw;
    if (!body || !/^(POST|PUT)$/.test(method)) return next();
    try {
      const bytes = new Uint8Array(await readBody(c.req.raw, maxBytes));
      c.req.raw = new Request(url, { method, headers, body: bytes });
    } catch (error) {
      if (error instanceof AppError) return onError(c, error);
      throw error;
    }
    return next();
  };
}
