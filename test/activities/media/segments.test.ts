// Segments of media: written in order by one writer, resumed after any end, read by range.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  segmentBytes,
  openSource,
  removeBytes,
  withWriter,
  writeSegments,
  WriteError,
  type SegmentInput,
} from '../../../activities/media/segments.ts';
import { openStore } from '../../../activities/media/store/open.ts';
import {
  claimWriter,
  listSegments,
  releaseWriter,
  renewWriter,
} from '../../../schema/database/media/segments.ts';
import { addMedia, readMedia } from '../../support/rows/media.ts';
import { createMarkedFolder } from '../../support/media/marked-folder.ts';
import { readAll } from '../../support/media/store-cases.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addProject } from '../../support/rows/rows.ts';

const unitBytes = 262_144;

const folder = createMarkedFolder('fanfare-segments-');
const storeUrl = pathToFileURL(folder).href;
const store = await openStore(storeUrl);
afterAll(() => rm(folder, { recursive: true }));

const database = useDatabase();
let projectId: string;
beforeAll(async () => {
  projectId = await addProject(database.db);
});
let mediaId: string;
beforeEach(async () => {
  mediaId = await addMedia(database.db, projectId);
});
afterEach(() => vi.useRealTimers());

const claim = (writerId = 'a') => claimWriter(database.db, { mediaId, writerId });

/** In parts whose size divides nothing. */
function streamOf(bytes: Uint8Array, end?: Error): ReadableStream<Uint8Array> {
  return ReadableStream.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += 99_991) yield bytes.subarray(at, at + 99_991);
      if (end) throw end;
    })(),
  );
}

const write = (bytes: Uint8Array, options: Partial<SegmentInput> = {}, deps = {}) =>
  writeSegments(
    { db: database.db, store, ...deps },
    {
      mediaId,
      writerId: 'a',
      signal: new AbortController().signal,
      from: 0,
      stream: streamOf(bytes),
      maxBytes: 1e9,
      ...options,
    },
  );

const byText = (a: string, b: string) => a.localeCompare(b);
const objects = async () => (await readdir(join(folder, mediaId)).catch(() => [])).toSorted(byText);
const keysOf = async () =>
  (await listSegments(database.db, mediaId)).map(({ key }) => key.split('/')[1]!).toSorted(byText);

async function source() {
  const row = await readMedia(database.db, mediaId);
  return openSource({ db: database.db, store }, row);
}

const expire = () =>
  sql`update media set writer_until = now() - interval '1 ms' where id = ${mediaId}`.execute(
    database.db,
  );

describe('writeSegments', () => {
  test('stores a stream in objects of 4 MiB, and reads any range of it back', async () => {
    const bytes = randomBytes(10_000_000);
    await claim();
    expect(await write(bytes)).toBe(10_000_000);
    const rows = await listSegments(database.db, mediaId);
    expect(rows.map((row) => [row.start_byte, row.bytes])).toEqual([
      [0, segmentBytes],
      [segmentBytes, segmentBytes],
      [2 * segmentBytes, 10_000_000 - 2 * segmentBytes],
    ]);
    expect(await readMedia(database.db, mediaId)).toMatchObject({ received_bytes: 10_000_000 });
    const media = await source();
    expect(media.bytes).toBe(10_000_000);
    expect(bytes.equals(await readAll(media.open()))).toBe(true);
    for (const [start, end] of [
      [0, 0],
      [segmentBytes - 1, segmentBytes],
      [1_000_000, 4_500_000],
      [4_999_999, 4_999_999],
    ] as const) {
      const range = await readAll(media.open({ start, end }));
      expect(range.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
  });

  test('continues where an earlier write ended', async () => {
    const bytes = randomBytes(3_000_000);
    await claim();
    expect(await write(bytes.subarray(0, unitBytes))).toBe(unitBytes);
    expect(await write(bytes.subarray(unitBytes), { from: unitBytes })).toBe(3_000_000);
    expect(bytes.equals(await readAll((await source()).open()))).toBe(true);
  });

  test('starts over from 0, and removes what was stored', async () => {
    await claim();
    await write(randomBytes(3_000_000));
    const bytes = randomBytes(1_000);
    expect(await write(bytes)).toBe(1_000);
    expect(bytes.equals(await readAll((await source()).open()))).toBe(true);
    expect(await objects()).toEqual(await keysOf());
    expect(await objects()).toHaveLength(1);
  });

  test('refuses to continue anywhere but at the end of the stored bytes', async () => {
    await claim();
    await write(randomBytes(unitBytes * 2));
    const gap = write(randomBytes(10), { from: unitBytes });
    await expect(gap).rejects.toMatchObject({ code: 'taken_over' });
    expect((await readMedia(database.db, mediaId)).received_bytes).toBe(unitBytes * 2);
  });

  test('keeps whole units of 256 KiB of a stream that breaks', async () => {
    const bytes = randomBytes(segmentBytes + unitBytes * 3 + 17);
    await claim();
    const stream = streamOf(bytes, new Error('The connection was lost.'));
    await expect(write(bytes, { stream })).rejects.toThrow('The connection was lost.');
    const from = segmentBytes + unitBytes * 3;
    expect((await readMedia(database.db, mediaId)).received_bytes).toBe(from);
    await write(bytes.subarray(from), { from });
    expect(bytes.equals(await readAll((await source()).open()))).toBe(true);
  });

  test('ends a stream that is too large', async () => {
    await claim();
    let isCanceled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
      cancel: () => void (isCanceled = true),
    });
    const writing = write(new Uint8Array(), { stream, maxBytes: segmentBytes + 150_000 });
    await expect(writing).rejects.toMatchObject({ name: 'WriteError', code: 'too_large' });
    expect(isCanceled).toBe(true);
    expect((await readMedia(database.db, mediaId)).received_bytes).toBe(segmentBytes);
  });

  test('accepts a stream of exactly the maximum size', async () => {
    await claim();
    expect(await write(randomBytes(1_000), { maxBytes: 1_000 })).toBe(1_000);
  });

  test('reads at most two segments ahead of the store', async () => {
    await claim();
    const gate = Promise.withResolvers<void>();
    const slow = {
      ...store,
      put: (key: string, part: Uint8Array) => gate.promise.then(() => store.put(key, part)),
    };
    let read = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (read >= segmentBytes * 6) return controller.close();
          read += unitBytes;
          controller.enqueue(new Uint8Array(unitBytes));
        },
      },
      { highWaterMark: 0 },
    );
    const writing = write(new Uint8Array(), { stream }, { store: slow });
    await expect.poll(() => read).toBe(segmentBytes * 2);
    // The next read would take one turn of the event loop. A query takes several.
    for (let i = 0; i < 5; i++) await readMedia(database.db, mediaId);
    expect(read).toBe(segmentBytes * 2);
    gate.resolve();
    expect(await writing).toBe(segmentBytes * 6);
  });

  test('loses only the segment in flight if the process is killed before it writes the row', async () => {
    const script = join(import.meta.dirname, '../../support/media/killed-writer.ts');
    const bytes = 10_000_000;
    const child = spawn(
      process.execPath,
      [script, database.url, storeUrl, mediaId, String(bytes), String(segmentBytes)],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    expect((await readMedia(database.db, mediaId)).received_bytes).toBe(segmentBytes);
    expect(await objects()).toHaveLength(2);
    expect(await claim('b')).toBeUndefined();
    await expire();
    expect(await claim('b')).toMatchObject({ received_bytes: segmentBytes });
    const rest = new Uint8Array(bytes - segmentBytes).fill(1);
    expect(await write(rest, { writerId: 'b', from: segmentBytes })).toBe(bytes);
    const stored = await readAll((await source()).open());
    expect(stored.equals(Buffer.alloc(bytes, 1))).toBe(true);
    // With the object that the killed writer left.
    expect(await objects()).toHaveLength(4);
    await removeBytes({ db: database.db, store }, mediaId);
    expect([await objects(), await keysOf()]).toEqual([[], []]);
  });

  test('removes the old objects that a writer left when it was killed while starting over', async () => {
    await claim();
    await write(randomBytes(3_000_000));
    await sql`update media set received_bytes = 0 where id = ${mediaId}`.execute(database.db);
    const bytes = randomBytes(10);
    await write(bytes);
    expect(bytes.equals(await readAll((await source()).open()))).toBe(true);
    expect(await objects()).toHaveLength(1);
  });
});

describe('the lease of a writer', () => {
  test('keeps a second writer out until it is released', async () => {
    expect(await claim('a')).toMatchObject({ id: mediaId, writer_id: 'a' });
    expect(await claim('b')).toBeUndefined();
    expect(await claim('a')).toBeDefined();
    await releaseWriter(database.db, { mediaId, writerId: 'b' });
    expect(await claim('b')).toBeUndefined();
    await releaseWriter(database.db, { mediaId, writerId: 'a' });
    expect(await claim('b')).toBeDefined();
  });

  test('goes to one of many writers that claim it at once', async () => {
    const claims = await Promise.all(Array.from({ length: 8 }, (_, i) => claim(`writer ${i}`)));
    expect(claims.filter((row) => row !== undefined)).toHaveLength(1);
  });

  test('expires by the clock of the database', async () => {
    await claim('a');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    expect(await claim('b')).toBeUndefined();
    await sql`update media set writer_until = now() + interval '300 ms' where id = ${mediaId}`.execute(
      database.db,
    );
    expect(await claim('b')).toBeUndefined();
    await expect.poll(() => claim('b'), { interval: 50 }).toBeDefined();
    expect(await renewWriter(database.db, { mediaId, writerId: 'a' })).toBe(false);
  });

  test('lasts 15 seconds from each segment', async () => {
    await claim();
    await expire();
    await write(randomBytes(10));
    const { rows } = await sql<{
      s: number;
    }>`select extract(epoch from writer_until - now())::float8
      as s from media where id = ${mediaId}`.execute(database.db);
    expect(rows[0]!.s).toBeGreaterThan(12);
    expect(rows[0]!.s).toBeLessThanOrEqual(15);
  });

  test('is not given for media that expect no bytes', async () => {
    await sql`update media set status = 'deleted' where id = ${mediaId}`.execute(database.db);
    expect(await claim()).toBeUndefined();
  });

  test('is renewed while a stream is silent, and its loss ends the stream', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { promise: canceled, resolve: cancel } = Promise.withResolvers<unknown>();
    const stream = new ReadableStream<Uint8Array>({ cancel });
    const writing = withWriter(database.db, mediaId, async ({ writerId, signal }) => {
      await expire();
      return write(new Uint8Array(), { writerId, signal, stream });
    });
    writing.catch(() => undefined);
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    await expire();
    vi.advanceTimersByTime(5_000);
    const lease = async () => (await readMedia(database.db, mediaId)).writer_until!.getTime();
    await expect.poll(lease).toBeGreaterThan(Date.now());
    expect(await claim('b')).toBeUndefined();
    await expire();
    expect(await claim('b')).toBeDefined();
    vi.advanceTimersByTime(5_000);
    await expect(writing).rejects.toMatchObject({ code: 'taken_over' });
    expect(await canceled).toBeInstanceOf(WriteError);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is kept during any work, and its loss aborts the signal of the work', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await withWriter(database.db, mediaId, async ({ writerId, row, signal }) => {
      expect(row).toMatchObject({ id: mediaId, writer_id: writerId });
      expect(await claim('b')).toBeUndefined();
      await releaseWriter(database.db, { mediaId, writerId });
      vi.advanceTimersByTime(5_000);
      await expect.poll(() => signal.aborted).toBe(true);
      expect(signal.reason).toMatchObject({ code: 'taken_over' });
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is released after the work, however the work ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    expect(await withWriter(database.db, mediaId, () => Promise.resolve(7))).toBe(7);
    const failed = withWriter(database.db, mediaId, () => Promise.reject(new Error('No.')));
    await expect(failed).rejects.toThrow('No.');
    expect(vi.getTimerCount()).toBe(0);
    expect(await claim('b')).toBeDefined();
    expect(await withWriter(database.db, mediaId, () => Promise.resolve(7))).toBeUndefined();
  });

  test('that is lost lets the old writer add nothing', async () => {
    await claim('a');
    const bytes = randomBytes(1_000);
    const taken = {
      ...store,
      async put(key: string, part: Uint8Array) {
        await expire();
        await claim('b');
        await store.put(key, part);
      },
    };
    const writing = write(randomBytes(5_000), {}, { store: taken });
    await expect(writing).rejects.toMatchObject({ code: 'taken_over' });
    expect(await objects()).toEqual([]);
    await write(bytes, { writerId: 'b' });
    expect(bytes.equals(await readAll((await source()).open()))).toBe(true);
  });
});

describe('openSource', () => {
  test('reads no faster than it is asked, and stops when it is canceled', async () => {
    await claim();
    await write(randomBytes(segmentBytes * 3));
    let opened = 0;
    const counting: typeof store = {
      ...store,
      read: (key, range) => {
        opened++;
        return store.read(key, range);
      },
    };
    const row = await readMedia(database.db, mediaId);
    const source = openSource({ db: database.db, store: counting }, row);
    const reader = source.open().getReader();
    for (let read = 0; read < segmentBytes;) {
      const { value } = await reader.read();
      expect(value!.byteLength).toBeLessThanOrEqual(65_536);
      read += value!.byteLength;
    }
    expect(opened).toBe(1);
    await reader.cancel();
    expect(opened).toBe(1);
  });

  test('fails if an object is missing or too short', async () => {
    await claim();
    await write(randomBytes(segmentBytes + 10));
    const media = await source();
    const [, second] = await listSegments(database.db, mediaId);
    await store.put(second!.key, randomBytes(5));
    await expect(readAll(media.open())).rejects.toMatchObject({ code: 'unavailable' });
    await store.remove([second!.key]);
    await expect(readAll(media.open())).rejects.toMatchObject({ code: 'unavailable' });
    await readAll(media.open({ start: 0, end: segmentBytes - 1 }));
  });
});
