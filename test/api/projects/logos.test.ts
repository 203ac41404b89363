// The logos of a project: copies of uploaded images, which anyone may load.
import { sql } from 'kysely';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { createPdf } from '../../support/media/target-media.ts';
import { createMedia, putBytes } from '../../support/media/uploads.ts';

const app = useApp({ roles: { api: true, worker: false } });
let projectId: string;
beforeAll(async () => {
  projectId = (await app.api.get('/v1/project')).body.data.id;
});

const square = (color: string, width = 100, height = 100) =>
  sharp({ create: { width, height, channels: 4, background: color } });

async function upload(image: Buffer, content_type = 'image/png'): Promise<string> {
  const media = await createMedia(app.api, { content_type });
  expect((await putBytes(media.upload_url, image)).status).toBe(200);
  return media.id;
}

const patch = (body: object) => app.api.patch('/v1/project', body);
const load = (path: string, init: RequestInit = {}) => fetch(`${app.url}/brand/${path}`, init);

async function imageAt(path: string) {
  const response = await load(path);
  const image = sharp(Buffer.from(await response.arrayBuffer()));
  const { dominant } = await image.stats();
  const { format, width, height, exif } = await image.metadata();
  return { type: response.headers.get('Content-Type'), format, width, height, exif, dominant };
}

test('a project without a logo has none, and an icon of its letter', async () => {
  expect((await load(`${projectId}/logo`)).status).toBe(404);
  await patch({ name: '<acme>', brand_color: '#ffe14d' });
  const icon = await load(`${projectId}/icon`);
  expect(icon.headers.get('Content-Type')).toBe('image/svg+xml');
  const svg = await icon.text();
  expect(svg).toContain('fill="#ffe14d"');
  expect(svg).toMatch(/fill="#000"[^>]*>\s*&lt;\s*<\/text>/);
});

describe('a logo', () => {
  test('is a small PNG without metadata, for each theme', async () => {
    const photo = square('#ff0000', 4_000, 1_000)
      .jpeg()
      .withExif({ IFD3: { GPSLatitudeRef: 'N' } });
    const logo_media_id = await upload(await photo.toBuffer(), 'image/jpeg');
    const dark_logo_media_id = await upload(await square('#0000ff').png().toBuffer());
    const answer = await patch({ logo_media_id, dark_logo_media_id });
    expect(answer.body.data).toMatchObject({ logo_media_id, dark_logo_media_id });
    const light = await imageAt(`${projectId}/logo`);
    expect(light).toMatchObject({ type: 'image/png', format: 'png', width: 640, height: 160 });
    expect(light.exif).toBeUndefined();
    expect(light.dominant.r).toBeGreaterThan(200);
    expect((await imageAt(`${projectId}/logo?theme=dark`)).dominant.b).toBeGreaterThan(200);
    // A wide logo is no icon.
    expect((await load(`${projectId}/icon`)).headers.get('Content-Type')).toBe('image/svg+xml');
  });

  test('serves a dark page too, unless there is another, and can be an icon', async () => {
    const logo_media_id = await upload(await square('#00ff00').png().toBuffer());
    await patch({ logo_media_id, dark_logo_media_id: null });
    const dark = await imageAt(`${projectId}/logo?theme=dark`);
    expect(dark.dominant.g).toBeGreaterThan(200);
    expect((await imageAt(`${projectId}/icon`)).format).toBe('png');
  });

  test('stays when its media are deleted, and goes with null', async () => {
    const logo_media_id = await upload(await square('#00ff00').png().toBuffer());
    await patch({ logo_media_id });
    await app.api.delete(`/v1/media/${logo_media_id}`);
    await sql`delete from media where id = ${logo_media_id}`.execute(app.context.db);
    expect((await load(`${projectId}/logo`)).status).toBe(200);
    const answer = await patch({ name: 'Acme', logo_media_id });
    expect(answer.body.data).toMatchObject({ name: 'Acme', logo_media_id });
    await patch({ logo_media_id: null });
    expect((await load(`${projectId}/logo`)).status).toBe(404);
  });

  test('is loaded again only if it has changed', async () => {
    await patch({ logo_media_id: await upload(await square('#00ff00').png().toBuffer()) });
    const first = await load(`${projectId}/logo`);
    const headers = { 'If-None-Match': first.headers.get('ETag')! };
    const again = await load(`${projectId}/logo`, { headers });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'));
    await patch({ logo_media_id: await upload(await square('#ff0000').png().toBuffer()) });
    expect((await load(`${projectId}/logo`, { headers })).status).toBe(200);
    const head = await load(`${projectId}/logo`, { method: 'HEAD' });
    expect([head.status, head.headers.get('Content-Type')]).toEqual([200, 'image/png']);
  });
});

describe('a refusal', () => {
  test.each([
    ['unknown_media', () => Promise.resolve('med_none')],
    ['media_not_ready', async () => (await createMedia(app.api)).id as string],
    [
      'media_deleted',
      async () => {
        const id = await upload(await square('#fff').png().toBuffer());
        await app.api.delete(`/v1/media/${id}`);
        return id;
      },
    ],
    ['logo_not_image', async () => upload(Buffer.from(createPdf()), 'application/pdf')],
  ])('has the code %s and names the field', async (code, make) => {
    const id = await make();
    for (const path of ['logo_media_id', 'dark_logo_media_id']) {
      const answer = await patch({ [path]: id });
      expect(answer.status).toBe(422);
      expect(answer.body.error.issues).toMatchObject([{ path, code }]);
    }
  });

  test('is a 404 for a project that nobody has', async () => {
    for (const path of [
      'prj_none/logo',
      'prj_01k00000000000000000000000/logo',
      'x/icon',
      'a/b/c',
    ]) {
      const answer = await load(path);
      expect(answer.status, path).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
    }
  });
});
