// Media from an upload or a URL to the network, through the whole of Fanfare.
import type { RequestListener } from 'node:http';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import { forFile } from '../support/fixtures.ts';
import { startFileServer } from '../support/media/file-server.ts';
import { createMedia, pngOf, putBytes } from '../support/media/uploads.ts';
import { inSeconds } from '../support/rows/posts.ts';

const maxBytes = 1_000_000;
const app = useApp({ env: { FANFARE_MEDIA_MAX_BYTES: String(maxBytes) } });

const picture = await pngOf(40, 30);
const photo = await sharp(await pngOf(60, 40))
  .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
  .jpeg()
  .toBuffer();
const send = (bytes: Buffer | string): RequestListener => {
  return (_, response) => response.end(bytes);
};
const files = forFile(() =>
  startFileServer({
    '/picture.png': send(picture),
    '/photo.jpg': send(photo),
    '/large.png': send(Buffer.alloc(maxBytes + 1)),
    '/page.html': send('<!doctype html><title>Log in</title>'),
    '/late.png': (...call) => void setTimeout(() => send(picture)(...call), 3_000),
  }),
);

const connect = async (handle: string) => (await app.tenant.connectSandbox(handle)).id;

/** The files of a post at the sandbox, as its page shows them. */
async function readFiles(url: string): Promise<{ alt: string; bytes: Buffer }[]> {
  const page = await (await fetch(url)).text();
  const images = [...page.matchAll(/<img[^>]*src="([^"]+)"[^>]*alt="([^"]*)"/g)];
  return Promise.all(
    images.map(async ([, src, alt]) => {
      const response = await fetch(new URL(src!, app.url));
      return { alt: alt!, bytes: Buffer.from(await response.arrayBuffer()) };
    }),
  );
}

async function upload(bytes: Buffer): Promise<string> {
  const media = await createMedia(app.api);
  const answer = await putBytes(media.upload_url, bytes);
  expect(answer.body.data).toMatchObject({ id: media.id, status: 'uploaded' });
  return media.id;
}

describe('a post with media', () => {
  test('has uploaded files and files from URLs at the network, byte for byte', async () => {
    const id = await upload(picture);
    const media = [{ id, alt_text: 'noise & more' }, { url: `${files.url}/picture.png` }];
    const post = await app.tenant.createPost({ account_ids: [await connect('ada')], media });
    const [result] = (await app.tenant.waitForPost(post.id)).results;
    expect(result, JSON.stringify(result)).toMatchObject({ status: 'published' });
    expect(result).toMatchObject({ media: [{ id }, { url: media[1]!.url }] });
    const shown = await readFiles(result!.url!);
    expect(shown.map(({ alt }) => alt)).toEqual(['noise &amp; more', 'Image without alt text']);
    for (const { bytes } of shown) expect(bytes.equals(picture)).toBe(true);
    expect((await app.api.get(`/v1/media/${id}`)).body.data.status).toBe('attached');
  });

  test('does not tell the network where a photo was taken', async () => {
    const media_urls = [`${files.url}/photo.jpg`];
    const post = await app.tenant.createPost({ account_ids: [await connect('bob')], media_urls });
    const [result] = (await app.tenant.waitForPost(post.id)).results;
    const [shown] = await readFiles(result!.url!);
    expect((await sharp(photo).metadata()).exif).toBeDefined();
    expect(await sharp(shown!.bytes).metadata()).toMatchObject({ width: 60, height: 40 });
    expect((await sharp(shown!.bytes).metadata()).exif).toBeUndefined();
  });

  test('waits for a slow URL', async () => {
    const media_urls = [`${files.url}/late.png`];
    const post = await app.tenant.createPost({ account_ids: [await connect('eve')], media_urls });
    await expect
      .poll(async () => (await app.api.get(`/v1/posts/${post.id}`)).body.data.results[0])
      .toMatchObject({ waiting_for: 'media' });
    expect((await app.tenant.waitForPost(post.id)).status).toBe('published');
  });

  test.each([
    ['missing.png', 'media_unreachable'],
    ['page.html', 'media_invalid'],
    ['large.png', 'media_too_large'],
  ])('fails at once if its URL is %s', async (path, error_code) => {
    const [one, other] = [await connect(`one-${path}`), await connect(`other-${path}`)];
    const post = await app.tenant.createPost({
      platform_posts: [
        { account_id: one, media_urls: [`${files.url}/${path}`] },
        { account_id: other, caption: 'plain' },
      ],
    });
    const { status, results } = await app.tenant.waitForPost(post.id);
    expect(status).toBe('partial');
    expect(results[0]).toMatchObject({ error_code, failure_stage: 'prepare', attempts: 0 });
  });

  test('can be retried once its URL works', async () => {
    const media_urls = [`${files.url}/soon.png`];
    const post = await app.tenant.createPost({ account_ids: [await connect('dan')], media_urls });
    const failed = await app.tenant.waitForPost(post.id);
    expect(failed.status).toBe('failed');
    files.answers['/soon.png'] = send(picture);
    const { id } = failed.results[0]!;
    const retried = await app.api.post(`/v1/posts/${post.id}/results/${id}/retry`);
    expect(retried.status).toBe(202);
    await expect
      .poll(async () => (await app.api.get(`/v1/posts/${post.id}`)).body.data.status)
      .toBe('published');
  });

  test('fails long before it is due if its URL fails, and can be published after it gets other media', async () => {
    const account_ids = [await connect('fay')];
    const post = await app.tenant.createPost({
      account_ids,
      media_urls: [`${files.url}/missing.png`],
      scheduled_at: inSeconds(7_200),
    });
    const read = async () => (await app.api.get(`/v1/posts/${post.id}`)).body.data;
    await expect.poll(read).toMatchObject({
      status: 'scheduled',
      results: [{ status: 'failed', error_code: 'media_unreachable', failure_stage: 'prepare' }],
    });
    const media_ids = [await upload(picture)];
    expect((await app.api.patch(`/v1/posts/${post.id}`, { media_ids })).status).toBe(200);
    await app.api.post(`/v1/posts/${post.id}/publish`);
    expect((await app.tenant.waitForPost(post.id)).status).toBe('published');
  });
});
