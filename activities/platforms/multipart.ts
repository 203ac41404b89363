// The bodies of uploads: a file, or a form with files. Bytes are read only as they are sent.
import { randomUUID } from 'node:crypto';
import type { Upload } from './json-client.ts';
import type { MediaSource, TargetMedia } from './platform.ts';

export interface FilePart {
  name: string;
  filename: string;
  contentType: string;
  source: MediaSource;
}

export function toFilePart(name: string, media: TargetMedia): FilePart {
  const { filename, contentType } = media;
  return { name, filename, contentType, source: media };
}

export function rawUpload(source: MediaSource, contentType: string): Upload {
  const headers = { 'content-type': contentType, 'content-length': String(source.bytes) };
  return { body: source.open(), headers };
}

/** A form without files. Undefined members are left out. */
export function urlEncoded(fields: Record<string, string | undefined>): Upload {
  const given = Object.entries(fields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  const form = new Blob([new URLSearchParams(given).toString()]);
  return {
    body: form.stream(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(form.size),
    },
  };
}

/** Fields come before files. Their values are sent unchanged. */
export function multipart(fields: Record<string, string>, files: readonly FilePart[]): Upload {
  const boundary = `fanfare-${randomUUID()}`;
  const heads = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`),
  );
  const parts = files.map(({ name, filename, contentType, source }) => {
    const head = `${disposition(name)}; filename="${escape(filename)}"\r\nContent-Type: ${contentType}`;
    return { head: Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), source };
  });
  const end = Buffer.from(`--${boundary}--\r\n`);
  const bytes =
    heads.reduce((sum, head) => sum + head.length, end.length) +
    parts.reduce((sum, { head, source }) => sum + head.length + source.bytes + lineEnd.length, 0);

  async function* write(): AsyncGenerator<Uint8Array> {
    yield* heads;
    for (const { head, source } of parts) {
      yield head;
      yield* source.open();
      yield lineEnd;
    }
    yield end;
  }

  return {
    // Reads nothing ahead.
    body: ReadableStream.from(write()),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(bytes),
    },
  };
}

const lineEnd = Buffer.from('\r\n');

const disposition = (name: string) =>
  `Content-Disposition: form-data; name="${escape(withCrLf(name))}"`;

const withCrLf = (text: string) => text.replaceAll(/\r\n?|\n/g, '\r\n');

/** As browsers do. @see https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const escape = (text: string) =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
