// Reads the bytes of a file, a Blob or a stream in parts.
import { configurationError } from './errors.ts';

/** A path, a Blob or File, or a stream such as those of Node and of `fetch`. */
export type MediaSource = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface ByteSource {
  size: number;
  /** From the name of the file. */
  filename: string | undefined;
  contentType: string | undefined;
  /** A stream can read on from its last part, but not from earlier ones. */
  read(from: number, to: number): Promise<Blob>;
}

const typesByEnding: Record<string, string> = {
  avif: 'image/avif',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  webm: 'video/webm',
  webp: 'image/webp',
};

export function typeOf(filename: string | undefined): string | undefined {
  return typesByEnding[/[^.]*$/.exec(filename ?? '')![0].toLowerCase()];
}

/** `size`: the number of bytes of a stream. A stream without a size is read into memory first. */
export async function openSource(
  source: MediaSource,
  size: number | undefined,
): Promise<ByteSource> {
  if (typeof source === 'string') {
    const filename = /[^/\\]*$/.exec(source)![0];
    return fromBlob(await openPath(source), filename);
  }
  if (source instanceof Blob) {
    return fromBlob(source, 'name' in source ? String(source.name) : undefined);
  }
  if (size !== undefined) return fromStream(source, size);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of source) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return fromBlob(new Blob(chunks), undefined);
}

function fromBlob(blob: Blob, filename: string | undefined): ByteSource {
  const contentType = blob.type || undefined;
  const read = async (from: number, to: number) => blob.slice(from, to);
  return { size: blob.size, filename, contentType, read };
}

/** Not an import, which bundlers for browsers would refuse. */
async function openPath(path: string): Promise<Blob> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { openAsBlob(path: string): Promise<Blob> } };
  };
  const fs = process?.getBuiltinModule?.('node:fs');
  if (!fs) throw configurationError('Only Node, Deno and Bun can open a path. Pass a Blob.');
  try {
    return await fs.openAsBlob(path);
  } catch (cause) {
    throw new Error(`${path} can't be read.`, { cause });
  }
}

function fromStream(
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  size: number,
): ByteSource {
  const chunks = (source as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  /** The bytes from `start` on that have been read. */
  let kept = new Blob([]);
  let start = 0;
  let isEnded = false;

  async function pull(): Promise<void> {
    const { done, value } = await chunks.next();
    isEnded = done === true;
    if (!isEnded) kept = new Blob([kept, value as Uint8Array<ArrayBuffer>]);
  }

  async function read(from: number, to: number): Promise<Blob> {
    if (from < start) {
      throw configurationError('The server has lost bytes that the stream has given already.');
    }
    while (start + kept.size < to && !isEnded) await pull();
    // A stream that goes on is noticed before its last part is sent.
    while (to === size && start + kept.size === size && !isEnded) await pull();
    if (isEnded ? start + kept.size !== size : start + kept.size > size) {
      throw configurationError(`The stream doesn't have the ${size} bytes that \`size\` says.`);
    }
    kept = kept.slice(from - start);
    start = from;
    return kept.slice(0, to - from);
  }

  return { size, filename: undefined, contentType: undefined, read };
}
