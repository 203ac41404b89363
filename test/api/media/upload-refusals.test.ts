// Uploads that are refused: each with its own code, and with nothing half written.
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { segmentBytes } from '../../../activities/media/segments.ts';
import { StoreError } from '../../../activities/media/store/store.ts';
import type { Context } from '../../../api/http/context.ts';
import { ago } from '../../../schema/database/database-clock.ts';
import { findMedia, listMediaByIds } from '../../../schema/database/media/rows.ts';
import { useApp } from '../../support/app/app.ts';
import {
  createMedia,
  getMedia,
  pngOf,
  partBytes,
  putBytes,
  putPart,
  type ShownMedia,
} from '../../support/media/uploads.ts';
import { sendHead, startUploads } from '../../support/media/upload-server.ts';

const app = useApp({ roles: { api: true, worker: false } });
const image = await pngOf(20, 10);
const other = await pngOf(20, 10);
const large = await pngOf(1_800, 1_700);

/** The code of the issue, or of the error. */
const codeOf = ({ body }: { body: ShownMedia }) =>
  body.error.issues?.[0].code ?? (body.error.code as string);

async function expectUntouched(id: string): Promise<void> {
  expect(await getMedia(app.api, id)).toMatchObject({ status: 'pending', received_bytes: 0 });
}

const limited = (change: Partial<NonNullable<Context['media']>>): Context => ({
  ...app.context,
  media: { ...app.context.media!, ...change },
});

describe('an upload URL', () => {
  test.each([
    ['without a token', (url: URL) => url.searchParams.delete('token')],
    ['with an empty token', (url: URL) => url.searchParams.set('token', '')],
    ['with two tokens', (url: URL) => url.searchParams.append('token', 'a')],
    ['with another token', (url: URL) => url.searchParams.set('token', 'A'.repeat(43))],
    [
      'for other media',
      (url: URL) => (url.pathname = `${url.pathname.slice(0, -26)}${'0'.repeat(26)}`),
    ],
  ])('is not valid %s', async (_, tamper) => {
    const { id, upload_url } = await createMedia(app.api);
    const url = new URL(upload_url);
    tamper(url);
    const answer = await putBytes(url.href, image);
    expect([answer.status, codeOf(answer)]).toEqual([403, 'upload_url_invalid']);
    await expectUntouched(id);
  });

  test('can be renewed if it has expired', async () => {
    const { id, upload_url } = await createMedia(app.api);
    await app.context.db
      .updateTable('media')
      .set({ upload_expires_at: ago(1) })
      .where('id', '=', id)
      .execute();
    const answer = await putBytes(upload_url, image);
    expect([answer.status, codeOf(answer)]).toEqual([410, 'upload_url_expired']);
    const { body } = await app.api.post(`/v1/media/${id}/upload-url`);
    expect((await putBytes(body.data.upload_url, image)).status).toBe(200);
  });

  test('accepts only PUT', async () => {
    const { upload_url } = await createMedia(app.api);
    const response = await fetch(upload_url);
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'PUT, OPTIONS']);
  });

  test('is the only address that accepts uploads', async () => {
    for (const path of ['/uploads/', '/uploads/a/b', '/uploads/med_1']) {
      expect((await putBytes(`${app.url}${path}`, image)).status, path).toBe(404);
    }
  });

  test('accepts no bytes if no store is configured', async () => {
    await using server = await startUploads({ ...app.context, media: undefined });
    const { upload_url } = await createMedia(app.api);
    const answer = await putBytes(server.at(upload_url), image);
    expect([answer.status, codeOf(answer)]).toEqual([503, 'media_not_configured']);
  });
});

describe('the headers of an upload', () => {
  test.each([
    ['bytes 0-99/abc', 'invalid_range'],
    ['bytes 0-/100', 'invalid_range'],
    ['bytes 50-40/100', 'invalid_range'],
    ['bytes 0-100/100', 'invalid_range'],
    ['items 0-99/100', 'invalid_range'],
    ['bytes 0-99/*', 'invalid_range'],
    ['bytes */100', 'body_not_allowed'],
    ['bytes 0-49/100', 'length_mismatch'],
    ['bytes 0-99/200', 'part_size'],
  ])('may not have Content-Range: %s', async (range, code) => {
    const { id, upload_url } = await createMedia(app.api);
    const answer = await putBytes(upload_url, randomBytes(100), { 'Content-Range': range });
    expect([answer.status, codeOf(answer)]).toEqual([422, code]);
    expect(answer.body.error.issues[0].path).toBe('Content-Range');
    await expectUntouched(id);
  });

  test('may not have a Content-Encoding', async () => {
    const { upload_url } = await createMedia(app.api);
    const answer = await putBytes(upload_url, image, { 'Content-Encoding': 'gzip' });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'unsupported_media_type']);
  });

  test.each(['multipart/form-data; boundary=x', 'application/json'])(
    'may not have the Content-Type %s, and the media stay as they were',
    async (type) => {
      const { id, upload_url } = await createMedia(app.api);
      const answer = await putBytes(upload_url, image, { 'Content-Type': type });
      expect([answer.status, codeOf(answer)]).toEqual([415, 'unsupported_media_type']);
      await expectUntouched(id);
    },
  );
});

describe('bytes', () => {
  const sha256 = createHash('sha256').update(image).digest('hex');

  test.each([
    ['of another size', { size_bytes: 12 }, image],
    ['that are none', {}, new Uint8Array()],
  ])('%s are refused before they are read', async (name, change, bytes) => {
    const { id, upload_url } = await createMedia(app.api, change);
    const answer = await putBytes(upload_url, bytes);
    const code = name === 'that are none' ? 'media_invalid' : 'size_mismatch';
    expect([answer.status, codeOf(answer)]).toEqual([422, code]);
    await expectUntouched(id);
  });

  test('are refused if their number is wrong, even if it is known only at the end', async () => {
    for (const size_bytes of [image.byteLength - 1, image.byteLength + 1]) {
      const { id, upload_url } = await createMedia(app.api, { size_bytes });
      const answer = await putBytes(upload_url, new Blob([image]).stream());
      expect([answer.status, codeOf(answer)]).toEqual([422, 'size_mismatch']);
      expect(await getMedia(app.api, id)).toMatchObject({ status: 'pending' });
    }
  });

  test('are refused if a part names a total that is not the declared size', async () => {
    const { id, upload_url } = await createMedia(app.api, { size_bytes: 300_000 });
    const answer = await putPart(upload_url, large, 0, partBytes);
    expect([answer.status, codeOf(answer)]).toEqual([422, 'size_mismatch']);
    await expectUntouched(id);
  });

  test.each<[string, object, Uint8Array, string]>([
    ['with another hash', { content_hash: sha256 }, other, 'media_hash_mismatch'],
    ['that are cut short', {}, large.subarray(0, 200_000), 'media_invalid'],
    ['that are no media', {}, Buffer.from('<html>'), 'media_invalid'],
    ['of another kind', { content_type: 'video/mp4' }, image, 'media_invalid'],
  ])('%s fail the media', async (_, change, bytes, code) => {
    const { id, upload_url } = await createMedia(app.api, change);
    const answer = await putBytes(upload_url, bytes);
    expect([answer.status, codeOf(answer)]).toEqual([422, code]);
    const media = await getMedia(app.api, id);
    expect(media).toMatchObject({ status: 'failed', error_code: code });
    expect(media.error_message).toMatch(/\.$/);
    const again = await putBytes(upload_url, image);
    expect([again.status, again.body.error.media_status]).toEqual([409, 'failed']);
  });
});

describe('the limits', () => {
  test.each([
    ['with a length', (bytes: Uint8Array) => bytes],
    ['in chunks', (bytes: Uint8Array) => new Blob([bytes]).stream()],
  ])('hold for a file, sent %s', async (_, bodyOf) => {
    await using server = await startUploads(limited({ maxBytes: 1_000_000 }));
    const { upload_url } = await createMedia(app.api);
    const answer = await putBytes(server.at(upload_url), bodyOf(large));
    expect([answer.status, codeOf(answer)]).toEqual([413, 'payload_too_large']);
    expect(answer.body.error.limit).toBe(1_000_000);
  });

  test.each([
    ['with a length', (bytes: Uint8Array) => bytes],
    ['in chunks', (bytes: Uint8Array) => new Blob([bytes]).stream()],
  ])('hold for the files of a project, sent %s', async (_, bodyOf) => {
    await using server = await startUploads(limited({ projectMaxBytes: 10_000_000 }));
    const { api } = await app.createTenant();
    const first = await createMedia(api);
    const { upload_url } = await createMedia(api);
    expect((await putBytes(server.at(first.upload_url), large)).status).toBe(200);
    const refused = await putBytes(server.at(upload_url), bodyOf(large));
    expect([refused.status, codeOf(refused)]).toEqual([403, 'quota_exceeded']);
    await api.delete(`/v1/media/${first.id}`);
    expect((await putBytes(server.at(upload_url), bodyOf(large))).status).toBe(200);
  });

  test('leave places for another project if one project has slow uploads', async () => {
    await using server = await startUploads(app.context, { placeMs: 100 });
    const [slow, quick] = [await app.createTenant(), await app.createTenant()];
    const all = await Promise.all(Array.from({ length: 4 }, () => createMedia(slow.api)));
    const heads = all.map(({ upload_url }) => {
      const upload = sendHead(server.at(upload_url), [`Content-Length: ${image.byteLength}`]);
      upload.socket.write(image.subarray(0, 10));
      return upload;
    });
    const allHave = async () => {
      const ids = all.map(({ id }) => id);
      const rows = await listMediaByIds(app.context.db, ids);
      expect(rows.filter(({ writer_id }) => writer_id !== null)).toHaveLength(4);
    };
    await vi.waitFor(allHave, { timeout: 10_000 });
    const { id, upload_url } = await createMedia(slow.api);
    const refused = await putBytes(server.at(upload_url), image);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5']);
    expect(refused.body.error).toMatchObject({ code: 'unavailable', is_retriable: true });
    expect(await getMedia(slow.api, id)).toMatchObject({ status: 'pending', received_bytes: 0 });
    const other = await createMedia(quick.api);
    expect((await putBytes(server.at(other.upload_url), image)).status).toBe(200);
    for (const { socket } of heads) socket.write(image.subarray(10));
    for (const head of heads) expect(await head.until('"request_id"')).toMatch(/^HTTP\/1.1 200 /);
    expect((await putBytes(server.at(upload_url), image)).status).toBe(200);
  });

  test('let an upload wait for a place that becomes free', async () => {
    await using server = await startUploads(app.context, { places: 1, placeMs: 60_000 });
    const [first, second] = [await createMedia(app.api), await createMedia(app.api)];
    using head = sendHead(server.at(first.upload_url), [`Content-Length: ${image.byteLength}`]);
    head.socket.write(image.subarray(0, 10));
    const isHeld = async () =>
      expect((await findMedia(app.context.db, first.id))!.writer_id).not.toBeNull();
    await vi.waitFor(isHeld, { timeout: 10_000 });
    const waiting = putBytes(server.at(second.upload_url), image);
    head.socket.write(image.subarray(10));
    expect((await waiting).status).toBe(200);
  });
});

describe('a store', () => {
  test.each([
    ['full', 507, 'media_storage_full'],
    ['unavailable', 503, 'unavailable'],
  ] as const)(
    'ends the upload, which can be resumed, if it is %s',
    async (reason, status, code) => {
      const { store } = app.context.media!;
      let puts = 0;
      const failing = {
        ...store,
        put(key: string, bytes: Uint8Array) {
          if (++puts === 2) return Promise.reject(new StoreError(reason, 'It failed.'));
          return store.put(key, bytes);
        },
      };
      await using server = await startUploads(limited({ store: failing }));
      const { id, upload_url } = await createMedia(app.api);
      const answer = await putBytes(server.at(upload_url), large);
      expect([answer.status, codeOf(answer)]).toEqual([status, code]);
      expect(answer.body.error.is_retriable).toBe(true);
      const { received_bytes: received } = await getMedia(app.api, id);
      expect(received).toBe(segmentBytes);
      const rest = await putPart(server.at(upload_url), large, received, large.byteLength);
      expect(rest.status, rest.text).toBe(200);
    },
  );
});

describe('a client', () => {
  const lengthOf = (bytes: Uint8Array) => `Content-Length: ${bytes.byteLength}`;

  test('gets 408 if it sends nothing for too long', async () => {
    await using server = await startUploads(app.context, { stalledMs: 200 });
    const { id, upload_url } = await createMedia(app.api);
    using upload = sendHead(server.at(upload_url), [lengthOf(large)]);
    upload.socket.write(large.subarray(0, 300_000));
    expect(await upload.until('upload_stalled')).toMatch(/^HTTP\/1.1 408 /);
    const { received_bytes } = await getMedia(app.api, id);
    expect(received_bytes).toBe(partBytes);
    const row = await findMedia(app.context.db, id);
    expect(row!.writer_id).toBeNull();
  });

  test('gets 408 if it sends for too long in total, and can send the rest', async () => {
    await using server = await startUploads(app.context, { totalMs: 500 });
    const { id, upload_url } = await createMedia(app.api);
    using upload = sendHead(server.at(upload_url), [lengthOf(large)]);
    upload.socket.write(large.subarray(0, 300_000));
    let sent = 300_000;
    const timer = setInterval(() => upload.socket.write(large.subarray(sent, ++sent)), 20);
    const text = await upload.until('upload_timeout').finally(() => clearInterval(timer));
    expect(text).toMatch(/^HTTP\/1.1 408 /);
    expect(text).toContain('"is_retriable":true');
    expect((await getMedia(app.api, id)).received_bytes).toBe(partBytes);
    const rest = await putPart(upload_url, large, partBytes, large.byteLength);
    expect(rest.status, rest.text).toBe(200);
  });

  test('frees the upload for another client if it breaks off', async () => {
    const { id, upload_url } = await createMedia(app.api);
    const upload = sendHead(upload_url, [lengthOf(image)]);
    upload.socket.write(image.subarray(0, 100));
    const isClaimed = async () => {
      const row = await findMedia(app.context.db, id);
      expect(row!.writer_id).not.toBeNull();
    };
    await vi.waitFor(isClaimed, { timeout: 10_000 });
    upload.socket.destroy();
    const succeeds = async () => expect((await putBytes(upload_url, image)).status).toBe(200);
    await vi.waitFor(succeeds, { timeout: 10_000 });
  });

  test('sends no bytes of a refused upload if it waits for permission', async () => {
    const { upload_url } = await createMedia(app.api);
    using refused = sendHead(`${upload_url}x`, [lengthOf(large), 'Expect: 100-continue']);
    const answer = await refused.until('request_id');
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    using allowed = sendHead(upload_url, [lengthOf(image), 'Expect: 100-continue']);
    expect(await allowed.until('100 Continue')).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n$/);
    allowed.socket.write(image);
    expect(await allowed.until('request_id')).toContain('HTTP/1.1 200 ');
  });

  test('gets 100 Continue on any other path if it waits for permission', async () => {
    const body = '{}';
    using call = sendHead(
      `${app.url}/v1/webhooks`,
      [`Authorization: Bearer ${app.tenant.key}`, 'Content-Length: 2', 'Expect: 100-continue'],
      'POST',
    );
    expect(await call.until('100 Continue')).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n$/);
    call.socket.write(body);
    expect(await call.until('request_id')).toContain('HTTP/1.1 415 ');
  });

  test('reads the refusal even if it continues to send', async () => {
    const { upload_url } = await createMedia(app.api);
    const answer = await putBytes(`${upload_url}x`, large);
    expect([answer.status, codeOf(answer)]).toEqual([403, 'upload_url_invalid']);
  });

  test('can send more on the same connection', async () => {
    const { upload_url } = await createMedia(app.api);
    using upload = sendHead(upload_url, [lengthOf(image)]);
    upload.socket.write(image);
    await upload.until('request_id');
    upload.socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await upload.until('"ok"')).toMatch(/HTTP\/1.1 200 [^]*HTTP\/1.1 200 /);
  });
});

describe('a browser', () => {
  test('may upload from every page, without credentials', async () => {
    const { upload_url } = await createMedia(app.api);
    const preflight = await fetch(upload_url, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example.com',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'content-range,content-type',
      },
    });
    expect(preflight.status).toBe(204);
    const { headers } = preflight;
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Allow-Methods')).toContain('PUT');
    expect(headers.get('Access-Control-Allow-Headers')).toMatch(/Content-Type.*Content-Range/);
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
    const part = await putPart(upload_url, large, 0, partBytes);
    const refused = await putBytes(`${upload_url}x`, image);
    for (const answer of [part, refused]) {
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('Range');
    }
  });

  test('may call nothing else', async () => {
    const { headers } = await app.api.get('/v1/media');
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
  });
});
