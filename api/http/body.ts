// Reads a request's body: no more bytes than allowed, UTF-8, JSON, and where it breaks if it is not.
import { AppError } from '../../schema/wire/errors.ts';

/** Counts what arrives; a Content-Length may be absent or wrong. */
export async function readBody(request: Request, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (!request.body) return Buffer.alloc(0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await readOn(reader);
    if (done) return Buffer.concat(chunks, size);
    size += value.byteLength;
    if (size > maxBytes) {
      void discard(reader, drainedTimes * maxBytes);
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
    throw new AppError('malformed_json', 'The body ended too early.', { cause });
  }
}

/** A sender that is cut off while it still sends never reads its answer, so it may send on a while. */
async function discard(reader: BodyReader, maxBytes: number): Promise<void> {
  try {
    for (let size = 0; size <= maxBytes;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The sender has gone.
  }
}

const drainedTimes = 16;

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

/** Only what has a body needs a type. */
export function requireJsonType(request: Request, bytes: Buffer): void {
  if (bytes.length === 0) return;
  const encoding = request.headers.get('Content-Encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body without Content-Encoding.');
  }
  if (!isJson(request)) {
    throw new AppError('unsupported_media_type', 'Send the body as JSON.', {
      hint: 'Content-Type: application/json',
    });
  }
}

export function isJson({ headers }: Request): boolean {
  return jsonType.test(headers.get('Content-Type')?.trim() ?? '');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An empty body counts as `{}`: its required fields are then what is missing. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
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
  const position = faultPosition(text, reason);
  const before = text.slice(0, position).split('\n');
  const line = before.length;
  const column = before.at(-1)!.length + 1;
  const message = `The body is not valid JSON: line ${line}, column ${column}.`;
  return new AppError('malformed_json', message, { details: { position, line, column } });
}

/** V8 names the position of most faults; a token in the wrong place it only quotes. */
function faultPosition(text: string, reason: string): number {
  const named = / at position (\d+)/.exec(reason)?.[1];
  if (named !== undefined) return Number(named);
  if (!reason.endsWith(unplaced)) return text.length;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (breaksWithin(text.slice(0, middle + 1))) high = middle;
    else low = middle + 1;
  }
  return low;
}

const unplaced = 'is not valid JSON';

function breaksWithin(start: string): boolean {
  try {
    JSON.parse(start);
    return false;
  } catch (error) {
    return (error as Error).message.endsWith(unplaced);
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body has more than ${maxBytes} bytes.`, {
    details: { limit: maxBytes },
  });
}
