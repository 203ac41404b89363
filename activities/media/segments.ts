// Writes the bytes of media to the store in segments, and reads them back.
import { randomBytes, randomUUID } from 'node:crypto';
import { setEmptied } from '../../schema/database/media/pruning.ts';
import {
  addSegment,
  claimWriter,
  listSegments,
  releaseWriter,
  removeSegments,
  renewWriter,
  rewindMedia,
  type MediaWriter,
} from '../../schema/database/media/segments.ts';
import type { Db, MediaRow } from '../../schema/database/tables.ts';
import type { MediaSource } from '../platforms/platform.ts';
import { StoreError, type MediaStore } from './store/store.ts';

export interface SegmentDependencies {
  db: Db;
  store: MediaStore;
}

export const segmentBytes = 4_194_304;
/** If a broken stream leaves a segment incomplete, a multiple of this many bytes is kept. */
const keptBytes = 262_144;
const renewEveryMs = 5_000;

/** `too_large`: the stream is longer than allowed. `taken_over`: the writer no longer has the lease. */
export type WriteErrorCode = 'too_large' | 'taken_over';

export class WriteError extends Error {
  override readonly name = 'WriteError';
  readonly code: WriteErrorCode;

  constructor(code: WriteErrorCode) {
    super(code === 'too_large' ? 'The file is too large.' : 'Another writer has taken over.');
    this.code = code;
  }
}

export interface SegmentInput extends MediaWriter {
  /** Aborts when another writer has the lease. */
  signal: AbortSignal;
  /** Offset of the first byte: `received_bytes`, or 0 to start over. */
  from: number;
  stream: ReadableStream<Uint8Array>;
  /** Limit for the whole file. If the file exceeds the limit, bytes that are stored already stay. */
  maxBytes: number;
}

export interface HeldWriter extends MediaWriter {
  /** The media when the lease was claimed. */
  row: MediaRow;
  /** Aborts when another writer has the lease. */
  signal: AbortSignal;
}

/**
 * Claims the lease, renews it during the work, and releases it. Undefined: another writer has the lease, or
 * the media expect no bytes.
 */
export async function withWriter<T>(
  db: Db,
  mediaId: string,
  work: (writer: HeldWriter) => Promise<T>,
): Promise<T | undefined> {
  const writer = { mediaId, writerId: randomUUID() };
  const row = await claimWriter(db, writer);
  if (!row) return undefined;
  const lost = new AbortController();
  const timer = setInterval(() => {
    // After a failed renewal, the next renewal may still succeed in time.
    renewWriter(db, writer).then(
      (isHeld) => isHeld || lost.abort(new WriteError('taken_over')),
      () => undefined,
    );
  }, renewEveryMs);
  try {
    return await work({ ...writer, row, signal: lost.signal });
  } finally {
    clearInterval(timer);
    // If the release fails, the lease runs out.
    await releaseWriter(db, writer).catch(() => undefined);
  }
}

/**
 * Writes the stream from the offset `from` on, and returns how many bytes the media then have. The caller has
 * the lease. One segment is stored while the next is read, so at most two are in memory. Even after a
 * failure, `received_bytes` says where to continue.
 */
export async function writeSegments(
  { db, store }: SegmentDependencies,
  { from, stream, maxBytes, signal, ...writer }: SegmentInput,
): Promise<number> {
  await discardAfter({ db, store }, writer, from);
  let stored = from;
  let storing: Promise<void> = Promise.resolve();

  async function put(bytes: Uint8Array): Promise<void> {
    const segment = await putSegment(store, writer.mediaId, stored, bytes);
    if (!(await addSegment(db, writer, segment))) {
      await store.remove([segment.key]);
      throw new WriteError('taken_over');
    }
    stored += bytes.byteLength;
  }

  /** Resolves once the previous segment is stored. */
  async function begin(bytes: Uint8Array): Promise<void> {
    await storing;
    storing = put(bytes);
    // `storing` is awaited later.
    storing.catch(() => undefined);
  }

  const buffers = [segmentBuffer(), segmentBuffer()] as const;
  let current: 0 | 1 = 0;
  let filled = 0;
  let read = from;
  const reader = stream.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      let result;
      try {
        result = await reader.read();
      } catch (error) {
        const kept = filled - (filled % keptBytes);
        if (kept > 0) await begin(buffers[current]().subarray(0, kept));
        await storing;
        throw error;
      }
      signal.throwIfAborted();
      if (result.done) break;
      read += result.value.byteLength;
      if (read > maxBytes) throw new WriteError('too_large');
      for (let rest = result.value; rest.byteLength > 0;) {
        const part = rest.subarray(0, segmentBytes - filled);
        buffers[current]().set(part, filled);
        filled += part.byteLength;
        rest = rest.subarray(part.byteLength);
        if (filled < segmentBytes) continue;
        await begin(buffers[current]());
        current = current === 0 ? 1 : 0;
        filled = 0;
      }
    }
    if (filled > 0) await begin(buffers[current]().subarray(0, filled));
    await storing;
    return stored;
  } catch (error) {
    await reader.cancel(error).catch(() => undefined);
    await storing.catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Writes only the object, not the row. */
export async function putSegment(store: MediaStore, id: string, start: number, bytes: Uint8Array) {
  const key = `${id}/${start}-${randomBytes(4).toString('hex')}`;
  await store.put(key, bytes);
  return { start_byte: start, bytes: bytes.byteLength, key };
}

/** Allocates the buffer when it is first used, because a small file needs only one. */
function segmentBuffer(): () => Buffer {
  let buffer: Buffer | undefined;
  return () => (buffer ??= Buffer.allocUnsafeSlow(segmentBytes));
}

/** Changes the row before it removes segments, so a crash in between can't leave media with missing bytes. */
async function discardAfter(
  { db, store }: SegmentDependencies,
  writer: MediaWriter,
  from: number,
): Promise<void> {
  if (!(await rewindMedia(db, writer, from))) throw new WriteError('taken_over');
  const segments = await listSegments(db, writer.mediaId);
  const keys = segments.flatMap(({ start_byte, key }) => (start_byte >= from ? key : []));
  await store.remove(keys);
  await removeSegments(db, writer.mediaId, keys);
}

/**
 * Removes all bytes of deleted media. Marks the media as emptied only after that, so a crash leaks no object.
 */
export async function removeBytes(
  { db, store }: SegmentDependencies,
  mediaId: string,
): Promise<void> {
  await store.removeFolder(mediaId);
  await setEmptied(db, mediaId);
}

/** Media whose bytes are read across their segments, no faster than the reader asks. */
export interface SegmentSource extends MediaSource {
  /** Like `open`. `end`: the last byte. */
  read(range: { start: number; end: number }): AsyncGenerator<Uint8Array>;
}

/** Reads nothing yet. Most calls to a network need no bytes. */
export function openSource(
  { db, store }: SegmentDependencies,
  { id, received_bytes: bytes }: Pick<MediaRow, 'id' | 'received_bytes'>,
): SegmentSource {
  async function* read({ start, end }: { start: number; end: number }): AsyncGenerator<Uint8Array> {
    for (const segment of await listSegments(db, id)) {
      const first = Math.max(start - segment.start_byte, 0);
      const last = Math.min(end - segment.start_byte, segment.bytes - 1);
      if (first > last) continue;
      let missing = last - first + 1;
      for await (const chunk of store.read(segment.key, { start: first, end: last })) {
        missing -= chunk.byteLength;
        yield chunk;
      }
      if (missing !== 0) {
        throw new StoreError('unavailable', `The object ${segment.key} is not whole.`);
      }
    }
  }
  return {
    bytes,
    read,
    open: (range = { start: 0, end: bytes - 1 }) => ReadableStream.from(read(range)),
  };
}
