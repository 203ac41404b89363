// Documents in the API: their upload, their facts, and which networks take them.
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { createPdf } from '../../support/media/target-media.ts';
import { createMedia, getMedia, pngOf, putBytes } from '../../support/media/uploads.ts';
import { addAccount } from '../../support/rows/rows.ts';

const app = useApp({ roles: { api: true, worker: false } });
const pdf = { filename: 'plan.pdf', content_type: 'application/pdf' };

async function uploadPdf() {
  const { upload_url } = await createMedia(app.api, pdf);
  return (await putBytes(upload_url, createPdf())).body.data;
}

async function errorsOf(platform: 'linkedin' | 'bluesky', target: object) {
  const account_id = await addAccount(app.database.db, app.tenant.projectId, platform);
  const body = { caption: 'Hello', platform_posts: [{ account_id, ...target }] };
  const { errors } = (await app.api.post('/v1/posts/validate', body)).body.data;
  return (errors as Record<string, unknown>[]).map(({ code, field }) => [code, field]);
}

describe('a document', () => {
  test('is recognized by its bytes', async () => {
    expect(await uploadPdf()).toMatchObject({
      status: 'uploaded',
      kind: 'document',
      content_type: 'application/pdf',
      width: null,
      height: null,
      duration_ms: null,
    });
  });

  test.each([
    [
      'a document',
      pdf,
      () => pngOf(20, 10),
      'The file is image/png. application/pdf was declared.',
    ],
    [
      'a picture',
      { content_type: 'image/png' },
      () => Promise.resolve(createPdf()),
      'The file is application/pdf. image/png was declared.',
    ],
  ])('is not %s: %j', async (_, declared, makeBytes, error_message) => {
    const { id, upload_url } = await createMedia(app.api, declared);
    await putBytes(upload_url, await makeBytes());
    expect(await getMedia(app.api, id)).toMatchObject({
      status: 'failed',
      error_code: 'media_invalid',
      error_message,
    });
  });

  test('of another type than PDF is refused', async () => {
    const body = { filename: 'plan.doc', content_type: 'application/msword' };
    const { status, body: answer } = await app.api.post('/v1/media', body);
    expect([status, answer.error.issues[0]]).toMatchObject([
      422,
      { path: 'content_type', message: expect.stringContaining('or application/pdf') },
    ]);
  });

  test('can be posted to LinkedIn with a title, and to no network without documents', async () => {
    const media = [{ id: (await uploadPdf()).id }];
    const options = { document_title: 'The plan' };
    expect(await errorsOf('linkedin', { media, platform_options: options })).toEqual([]);
    expect(await errorsOf('linkedin', { media })).toEqual([
      ['document_title_required', 'platform_posts[0].platform_options.document_title'],
    ]);
    expect(await errorsOf('bluesky', { media })).toEqual([
      ['media_kind_not_supported', 'platform_posts[0].media[0]'],
    ]);
  });

  test('cannot be the thumbnail of a video', async () => {
    const [video, thumbnail] = [await createMedia(app.api), await uploadPdf()];
    const media = [{ id: video.id, thumbnail_id: thumbnail.id }];
    expect(await errorsOf('linkedin', { media })).toContainEqual([
      'thumbnail_not_image',
      'platform_posts[0].media[0].thumbnail_id',
    ]);
  });
});

test('capabilities show the rules for documents', async () => {
  const { data } = (await app.api.get('/v1/platforms/capabilities')).body;
  const documentsOf = (name: string) =>
    (data as { platform: string; media: { document: unknown } }[]).find(
      ({ platform }) => platform === name,
    )!.media.document;
  expect(documentsOf('linkedin')).toMatchObject({
    max: 1,
    types: ['application/pdf'],
    max_bytes: 100_000_000,
  });
  expect(documentsOf('bluesky')).toBeNull();
});
