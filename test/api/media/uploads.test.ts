// The bytes of media, sent to their upload URL: whole or in parts, by one writer at a time.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { segmentBytes } from '../../../activities/media/segments.ts';
import { openSource } from '../../../activities/media/segments.ts';
import { findMedia } from '../../../schema/database/media/rows.ts';
import { listSegments } from '../../../schema/database/media/segments.ts';
import { useApp } from '../../support/app/app.ts';
import {
  askRange,
  createMedia,
  getMedia,
  pngOf,
  partBytes,
  putBytes,
  putPart,
} from '../../support/media/uploads.ts';

const app = useApp({ roles: { api: true, worker: false } });
const small = await pngOf(20, 10);
/** Longer than a segment and than two parts. */
const large = await pngOf(1_800, 1_700);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** What the store has. */
async function readBack(id: string): Promise<Buffer> {
  const { db, media } = app.context;
  const row = await findMedia(db, id);
  const source = openSource({ db, store: media!.store }, row!);
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Sends the bytes, then nothing more until `end` is called. */
function heldBody(bytes: Uint8Array) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  void writer.write(bytes).catch(() => undefined);
  return { readable, end: (rest: Uint8Array) => writer.write(rest).then(() => writer.close()) };
}

describe('a whole file', () => {
  test.each([
    ['one segment', small],
    ['several segments', large],
  ])('is checked and usable if it has %s', async (_, file) => {
    const media = await createMedia(app.api, { size_bytes: file.byteLength });
    const { status, body } = await putBytes(media.upload_url, file);
    expect([status, body.data]).toMatchObject([200, { status: 'uploaded', kind: 'image' }]);
    expect(body.data).toEqual(await getMedia(app.api, media.id));
    expect(body.data.size_bytes).toBe(file.byteLength);
    expect(body.request_id).toMatch(/^req_/);
    expect((await readBack(media.id)).equals(file)).toBe(true);
    const row = await findMedia(app.context.db, media.id);
    expect(row).toMatchObject({ sha256: sha256(file), writer_id: null });
  });

  test('can be sent in chunks without its length', async () => {
    const media = await createMedia(app.api, { content_hash: `sha256:${sha256(large)}` });
    const { status } = await putBytes(media.upload_url, new Blob([large]).stream());
    expect(status).toBe(200);
    expect((await readBack(media.id)).equals(large)).toBe(true);
  });

  test('starts over after a broken upload', async () => {
    const media = await createMedia(app.api);
    await putPart(media.upload_url, large, 0, partBytes);
    expect((await putBytes(media.upload_url, small)).status).toBe(200);
    expect((await readBack(media.id)).equals(small)).toBe(true);
  });

  test('can be of another image type than declared, but not of another kind', async () => {
    const media = await createMedia(app.api, { filename: 'a.jpg', content_type: 'image/jpeg' });
    const { body } = await putBytes(media.upload_url, small);
    expect(body.data.content_type).toBe('image/png');
    const film = await createMedia(app.api, { filename: 'a.mp4', content_type: 'video/mp4' });
    const refused = await putBytes(film.upload_url, small);
    expect([refused.status, refused.body.error.issues]).toMatchObject([
      422,
      [{ code: 'media_invalid', message: 'The file is image/png. video/mp4 was declared.' }],
    ]);
    expect(await getMedia(app.api, film.id)).toMatchObject({
      status: 'failed',
      error_code: 'media_invalid',
    });
  });
});

describe('a file in parts', () => {
  test('is usable after the last part', async () => {
    const media = await createMedia(app.api, { size_bytes: large.byteLength });
    const total = large.byteLength;
    const asked = await askRange(media.upload_url, total);
    expect([asked.status, asked.headers.get('Range')]).toEqual([308, null]);
    const first = await putPart(media.upload_url, large, 0, 2 * partBytes);
    expect([first.status, first.headers.get('Range')]).toEqual([308, 'bytes=0-524287']);
    expect(first.body.data).toMatchObject({ status: 'pending', received_bytes: 2 * partBytes });
    const again = await askRange(media.upload_url, total);
    expect([again.status, again.headers.get('Range')]).toEqual([308, 'bytes=0-524287']);
    const last = await putPart(media.upload_url, large, 2 * partBytes, total);
    expect([last.status, last.body.data.status]).toEqual([200, 'uploaded']);
    expect((await readBack(media.id)).equals(large)).toBe(true);
    const done = await askRange(media.upload_url, total);
    expect([done.status, done.body.data]).toEqual([200, last.body.data]);
  });

  test('continues only where it stopped', async () => {
    const media = await createMedia(app.api);
    await putPart(media.upload_url, large, 0, partBytes);
    for (const from of [0, 2 * partBytes]) {
      const { status, headers, body } = await putPart(
        media.upload_url,
        large,
        from,
        from + partBytes,
      );
      expect([status, headers.get('Range')]).toEqual([409, 'bytes=0-262143']);
      expect(body.error).toMatchObject({ code: 'conflict', received_bytes: partBytes });
    }
    expect((await putPart(media.upload_url, large, partBytes, large.byteLength)).status).toBe(200);
    expect((await readBack(media.id)).equals(large)).toBe(true);
  });

  test('must name the same total in all its parts', async () => {
    const media = await createMedia(app.api);
    await putPart(media.upload_url, large, 0, partBytes);
    const shorter = large.subarray(0, 2 * partBytes);
    const issue = {
      path: 'Content-Range',
      code: 'total_mismatch',
      actual: shorter.byteLength,
      limit: large.byteLength,
    };
    for (const answer of [
      await putPart(media.upload_url, shorter, partBytes, shorter.byteLength),
      await askRange(media.upload_url, shorter.byteLength),
    ]) {
      expect(answer.status).toBe(422);
      expect(answer.body.error.issues).toMatchObject([issue]);
    }
    const all = await askRange(media.upload_url, partBytes);
    expect([all.status, all.body.error.issues[0].code]).toEqual([422, 'total_mismatch']);
    expect((await putPart(media.upload_url, large, partBytes, large.byteLength)).status).toBe(200);
    expect((await readBack(media.id)).equals(large)).toBe(true);
  });

  test('keeps what arrived before the client broke off', async () => {
    const media = await createMedia(app.api);
    const body = heldBody(large.subarray(0, segmentBytes + 400_000));
    const controller = new AbortController();
    const headers = { 'Content-Length': String(large.byteLength) };
    const sending = fetch(media.upload_url, {
      method: 'PUT',
      headers,
      body: body.readable,
      duplex: 'half',
      signal: controller.signal,
    }).catch(() => 'broken');
    await vi.waitFor(
      async () => expect((await getMedia(app.api, media.id)).received_bytes).toBeGreaterThan(0),
      { timeout: 10_000 },
    );
    controller.abort();
    expect(await sending).toBe('broken');
    const received = await vi.waitFor(
      async () => {
        const row = await findMedia(app.context.db, media.id);
        expect(row!.writer_id).toBeNull();
        return row!.received_bytes;
      },
      { timeout: 10_000 },
    );
    expect(received).toBeGreaterThanOrEqual(segmentBytes);
    const rest = await putPart(media.upload_url, large, received, large.byteLength);
    expect(rest.status, rest.text).toBe(200);
    expect((await readBack(media.id)).equals(large)).toBe(true);
  });
});

describe('a complete file whose check was interrupted', () => {
  async function interrupt(): Promise<{ id: string; upload_url: string }> {
    const media = await createMedia(app.api);
    await putBytes(media.upload_url, large);
    await app.context.db
      .updateTable('media')
      .set({ status: 'pending', kind: null, sha256: null, size_bytes: null, width: null })
      .where('id', '=', media.id)
      .execute();
    expect(await getMedia(app.api, media.id)).toMatchObject({
      status: 'pending',
      received_bytes: large.byteLength,
    });
    return media;
  }

  test('is checked when the client asks where to continue', async () => {
    const { upload_url } = await interrupt();
    const { status, body } = await askRange(upload_url, large.byteLength);
    expect([status, body.data]).toMatchObject([200, { status: 'uploaded', width: 1_800 }]);
  });

  test('is checked when the last part is sent again', async () => {
    const { upload_url } = await interrupt();
    const { status } = await putPart(upload_url, large, partBytes, large.byteLength);
    expect(status).toBe(200);
  });

  test('is replaced when a whole file is sent', async () => {
    const { id, upload_url } = await interrupt();
    expect((await putBytes(upload_url, small)).body.data).toMatchObject({ width: 20 });
    expect((await readBack(id)).equals(small)).toBe(true);
  });
});

describe('a second writer', () => {
  test('is refused until the first one has ended', async () => {
    const media = await createMedia(app.api);
    const body = heldBody(small.subarray(0, 100));
    const first = putBytes(media.upload_url, body.readable);
    const isClaimed = async () => {
      const row = await findMedia(app.context.db, media.id);
      expect(row!.writer_id).not.toBeNull();
    };
    await vi.waitFor(isClaimed, { timeout: 10_000 });
    const second = await putBytes(media.upload_url, small);
    expect(second.status).toBe(409);
    expect(second.body.error).toMatchObject({ code: 'upload_in_progress', is_retriable: true });
    expect(Number(second.headers.get('Retry-After'))).toBeGreaterThan(0);
    await body.end(small.subarray(100));
    expect((await first).status).toBe(200);
    expect((await readBack(media.id)).equals(small)).toBe(true);
  });

  test('takes over from a writer that was killed', async () => {
    const media = await createMedia(app.api);
    const holdFor = (seconds: number) =>
      app.context.db
        .updateTable('media')
        .set({
          writer_id: 'killed',
          writer_until: sql<Date>`now() + ${seconds} * interval '1 s'`,
        })
        .where('id', '=', media.id)
        .execute();
    await holdFor(60);
    expect((await putBytes(media.upload_url, small)).status).toBe(409);
    await holdFor(0);
    expect((await putBytes(media.upload_url, small)).status).toBe(200);
  });

  test('is refused even if all writers begin at once', async () => {
    const media = await createMedia(app.api);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => putBytes(media.upload_url, large)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    expect((await readBack(media.id)).equals(large)).toBe(true);
  });
});

describe('media that are deleted during their upload', () => {
  test('take no more bytes', async () => {
    const media = await createMedia(app.api);
    const body = heldBody(large.subarray(0, segmentBytes + 100_000));
    const uploading = putBytes(media.upload_url, body.readable);
    await vi.waitFor(
      async () => expect((await getMedia(app.api, media.id)).received_bytes).toBeGreaterThan(0),
      { timeout: 10_000 },
    );
    expect((await app.api.delete(`/v1/media/${media.id}`)).status).toBe(204);
    void body.end(large.subarray(segmentBytes + 100_000)).catch(() => undefined);
    const { status, body: answer } = await uploading;
    expect([status, answer.error.code]).toEqual([409, 'conflict']);
    expect(await listSegments(app.context.db, media.id)).toEqual([]);
    const later = await putBytes(media.upload_url, small);
    expect([later.status, later.body.error.media_status]).toEqual([409, 'deleted']);
  });
});
