// A JSON body with files in base64. The files are read only as they are sent.
import { randomUUID } from 'node:crypto';
import type { Upload } from './json-client.ts';
import type { MediaSource } from './platform.ts';

/** `write`: returns the JSON. In it, `embed` stands for the text of a file in base64. */
export function jsonUpload(write: (embed: (file: MediaSource) => string) => unknown): Upload {
  const files = new Map<string, MediaSource>();
  const json = JSON.stringify(
    write((file) => {
      const mark = randomUUID();
      files.set(mark, file);
      return mark;
    }),
  );
  // The text between two marks, and the marks, alternate.
  const marks = [...files.keys()].join('|');
  const parts = files.size === 0 ? [json] : json.split(new RegExp(`(${marks})`));
  const bytes = parts.reduce((sum, part) => sum + lengthOf(files.get(part), part), 0);

  async function* read(): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      const file = files.get(part);
      if (file) yield* toBase64(file.open());
      else yield Buffer.from(part);
    }
  }

  return {
    // Reads nothing ahead.
    body: ReadableStream.from(read()),
    headers: { 'content-type': 'application/json', 'content-length': String(bytes) },
  };
}

const lengthOf = (file: MediaSource | undefined, text: string) =>
  file ? Math.ceil(file.bytes / 3) * 4 : Buffer.byteLength(text);

/** Three bytes become four characters, so each chunk leaves up to two bytes to the next one. */
async function* toBase64(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of stream) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole));
  }
  if (rest.length > 0) yield Buffer.from(Buffer.from(rest).toString('base64'));
}
