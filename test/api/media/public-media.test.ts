// Media that networks fetch: whole or in ranges, for as long as their target is open, and in fair shares.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkImage } from '../../../activities/media/check-image.ts';
import { findMedia } from '../../../schema/database/media/rows.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { useApp } from '../../support/app/app.ts';
import type { Tenant } from '../../support/app/seed.ts';
import { startPublicMedia } from '../../support/media/public-media-server.ts';
import { createMedia, pngOf, putBytes } from '../../support/media/uploads.ts';
import { sendHead } from '../../support/media/upload-server.ts';
import { addCheck } from '../../support/rows/checks.ts';
import { addMedia } from '../../support/rows/media.ts';
import { addAccount } from '../../support/rows/rows.ts';
import { addTargets } from '../../support/rows/targets.ts';

const dayMs = 24 * 3_600_000;
const app = useApp({
  env: { FANFARE_MEDIA_PUBLIC_URL: '' },
  roles: { api: true, worker: false },
});
const file = await pngOf(20, 10);
/** More than the buffers of a connection hold. */
const large = await pngOf(2_400, 2_000);

interface Published {
  projectId: string;
  postId: string;
  resultId: string;
  mediaId: string;
}

/** A file of a target that is being published. */
async function addFile(
  bytes: Uint8Array = file,
  tenant: Pick<Tenant, 'projectId' | 'api'> = app.tenant,
): Promise<Published> {
  const { db } = app.context;
  const { id: mediaId, upload_url } = await createMedia(tenant.api);
  expect((await putBytes(upload_url, bytes)).status).toBe(200);
  const { projectId } = tenant;
  const accountId = await addAccount(db, projectId, 'sandbox');
  const { postId, resultIds } = await addTargets(db, { projectId, accountId });
  return { projectId, postId, resultId: resultIds[0]!, mediaId };
}

const urlOf = (media: Omit<Published, 'postId'>, forMs = dayMs, type = 'image/png') =>
  app.context.publicUrls.urlOf(media, type, forMs);

async function expectNone(url: string): Promise<void> {
  const response = await fetch(url);
  const { error } = (await response.json()) as { error: { code: string } };
  expect([response.status, error.code]).toEqual([404, 'not_found']);
}

describe('a file', () => {
  let url: string;
  beforeAll(async () => {
    url = urlOf(await addFile());
  });

  test('is sent whole, with headers for browsers', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(file.byteLength),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true);
  });

  test('has the same headers for HEAD, also with a range', async () => {
    const response = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-4' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(file.byteLength));
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('content-range')).toBeNull();
    expect(await response.text()).toBe('');
  });

  const { byteLength: size } = file;
  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=10-', 10, size - 1],
    ['bytes=0-', 0, size - 1],
    [`bytes=5-${size + 100}`, 5, size - 1],
    ['bytes=-7', size - 7, size - 1],
    [`bytes=-${size + 100}`, 0, size - 1],
  ])('is sent in part: %s', async (range, start, end) => {
    const response = await fetch(url, { headers: { range } });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`);
    expect(response.headers.get('content-length')).toBe(String(end - start + 1));
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(file.subarray(start, end + 1))).toBe(true);
  });

  test.each(['bytes=0-1,3-4', 'bytes=9-3', 'bytes=-', 'bytes=a-b', 'items=0-1'])(
    'is sent whole for the range %s',
    async (range) => {
      const response = await fetch(url, { headers: { range } });
      expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, size]);
    },
  );

  test.each([`bytes=${size}-`, `bytes=${size}-${size + 9}`, 'bytes=-0'])(
    'gets 416 for the range %s',
    async (range) => {
      const response = await fetch(url, { headers: { range } });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe(`bytes */${size}`);
      expect(await response.text()).toBe('');
    },
  );

  test('is sent whole if the earlier part was of another file', async () => {
    const first = await fetch(url, { headers: { range: 'bytes=0-1' } });
    const etag = first.headers.get('etag')!;
    const headers = { range: 'bytes=2-3' };
    const same = await fetch(url, { headers: { ...headers, 'if-range': etag } });
    const other = await fetch(url, { headers: { ...headers, 'if-range': '"other"' } });
    expect([same.status, other.status]).toEqual([206, 200]);
  });

  test('is sent to a reader that percent-encodes the URL', async () => {
    expect((await fetch(url.replace('~', '%7E'))).status).toBe(200);
  });

  test('accepts no method other than GET and HEAD', async () => {
    const response = await fetch(url, { method: 'POST', body: 'a' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

test('the image of a check is sent only while the check runs, and not under another project', async () => {
  const { db } = app.context;
  const { projectId } = app.tenant;
  const accountId = await addAccount(db, projectId, 'sandbox');
  const { id } = (await addCheck(db, { projectId, accountId }))!;
  const image = { projectId, resultId: id, mediaId: checkImage.id };
  const url = urlOf(image, dayMs, checkImage.contentType);
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('image/jpeg');
  expect(Buffer.from(await response.arrayBuffer()).equals(checkImage.bytes)).toBe(true);
  const part = await fetch(url, { headers: { range: 'bytes=2-5' } });
  expect(Buffer.from(await part.arrayBuffer()).equals(checkImage.bytes.subarray(2, 6))).toBe(true);
  const other = await app.createTenant();
  await expectNone(urlOf({ ...image, projectId: other.projectId }, dayMs, checkImage.contentType));
  await db.updateTable('account_checks').set({ status: 'passed' }).where('id', '=', id).execute();
  await expectNone(url);
});

test('crawlers may read media, and nothing else', async () => {
  const response = await fetch(new URL('/robots.txt', app.url));
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(await response.text()).toBe('User-agent: *\nAllow: /media/\nDisallow: /\n');
});

describe('nothing is sent', () => {
  let media: Published;
  beforeEach(async () => {
    media = await addFile();
  });

  const setStatus = (status: 'failed' | 'published' | 'canceled') =>
    app.context.db
      .updateTable('post_results')
      .set({ status })
      .where('id', '=', media.resultId)
      .execute();
  const setMedia = (change: { status: 'deleted' } | { content_type: string }) =>
    app.context.db.updateTable('media').set(change).where('id', '=', media.mediaId).execute();

  test('for a token that has expired', async () => {
    await expectNone(urlOf(media, 0));
  });

  test('for a token that was guessed, or put together', async () => {
    const url = urlOf(media);
    const [token = ''] = /[^/]+~[^/]+/.exec(url) ?? [];
    const [otherToken = ''] = /[^/]+~[^/]+/.exec(urlOf(await addFile())) ?? [];
    const half = token.length / 2;
    for (const guess of [
      'test~AAAA',
      token.slice(0, -8),
      `${token.slice(0, half)}${otherToken.slice(half)}`,
    ]) {
      await expectNone(url.replace(token, guess));
    }
  });

  test('under another file name, or at a path below the URL', async () => {
    const url = urlOf(media);
    await expectNone(url.replace('/1.png', '/1.jpg'));
    await expectNone(url.replace('/1.png', '/2.png'));
    await expectNone(url.replace('/1.png', ''));
    await expectNone(`${url}/more`);
    await expectNone(new URL('/media/', app.url).href);
  });

  test('for the target of another project', async () => {
    const other = await addFile(file, await app.createTenant());
    const { projectId, resultId, mediaId } = media;
    await expectNone(urlOf({ projectId, resultId: other.resultId, mediaId }));
    await expectNone(urlOf({ projectId, resultId, mediaId: other.mediaId }));
    await expectNone(urlOf({ ...other, projectId }));
    expect((await fetch(urlOf(other))).status).toBe(200);
  });

  test.each(['failed', 'published', 'canceled'] as const)(
    'once the target is %s',
    async (status) => {
      const url = urlOf(media);
      await setStatus(status);
      await expectNone(url);
    },
  );

  test('once the post is deleted', async () => {
    const url = urlOf(media);
    await setStatus('failed');
    const { db } = app.context;
    await db
      .updateTable('posts')
      .set({ status: 'failed', concluded_run: 1 })
      .where('id', '=', media.postId)
      .execute();
    expect((await app.api.delete(`/v1/posts/${media.postId}`)).status).toBe(204);
    await expectNone(url);
  });

  test('once the file is deleted, not even its renditions', async () => {
    const { db } = app.context;
    const { received_bytes, sha256 } = (await findMedia(db, media.mediaId))!;
    const rendition = await addMedia(db, media.projectId, {
      id: newId('media'),
      status: 'attached',
      source_media_id: media.mediaId,
      rendition: 'fitted',
      kind: 'image',
      content_type: 'image/png',
      received_bytes,
      sha256,
    });
    const urls = [urlOf(media), urlOf({ ...media, mediaId: rendition })];
    const head = (url: string) => fetch(url, { method: 'HEAD' });
    expect((await head(urls[1]!)).status).toBe(200);
    await setMedia({ status: 'deleted' });
    for (const url of urls) await expectNone(url);
  });

  test('of a type that a browser could run', async () => {
    await setMedia({ content_type: 'image/svg+xml' });
    await expectNone(urlOf(media));
  });
});

describe('readers', () => {
  /** Asks, and reads nothing. */
  function stall(url: string) {
    const reader = sendHead(url, [], 'GET');
    reader.socket.pause();
    return reader;
  }

  const statusOf = async (url: string) => (await fetch(url)).status;

  test('leave places for the readers of other projects', async () => {
    const [own, second] = [await addFile(large), await addFile()];
    const other = await addFile(file, await app.createTenant());
    await using server = await startPublicMedia(app.context, { places: 2, placeMs: 100 });
    const at = (media: Published) => server.at(urlOf(media));
    using reader = stall(at(own));
    // The first reader has its place once the second one finds none.
    await expect.poll(() => statusOf(at(second))).toBe(503);
    const refused = await fetch(at(second));
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await statusOf(at(other))).toBe(200);
    reader.socket.destroy();
    await expect.poll(() => statusOf(at(second))).toBe(200);
  });

  test('are cut off if they are too slow', async () => {
    const [own, second] = [await addFile(large), await addFile()];
    await using server = await startPublicMedia(app.context, { places: 2, totalMs: 500 });
    using reader = stall(server.at(urlOf(own)));
    expect(await statusOf(server.at(urlOf(second)))).toBe(200);
    reader.socket.resume();
    await reader.ended;
    expect(reader.text()).toContain('200 OK');
    expect(reader.text().length).toBeLessThan(large.byteLength);
  });

  test('hold no connection to the database', async () => {
    const url = urlOf(await addFile(large));
    using first = stall(url);
    using second = stall(url);
    expect((await fetch(url, { headers: { range: 'bytes=0-0' } })).status).toBe(206);
    const countBusy = () => app.context.pool().total - app.context.pool().idle;
    await expect.poll(countBusy).toBe(0);
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([false, false]);
  });
});
