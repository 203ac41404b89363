// Media as a resource: created, listed, renewed, deleted, and the same in GraphQL.
import { describe, expect, test } from 'vitest';
import { createApi } from '../../support/app/api.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused, subscribeOverSocket } from '../../support/graphql/graphql.ts';
import { startFileServer } from '../../support/media/file-server.ts';
import {
  askRange,
  createMedia,
  getMedia,
  partBytes,
  pngOf,
  putBytes,
  putPart,
} from '../../support/media/uploads.ts';

const app = useApp();
const image = await pngOf(20, 10);
/** Longer than a part. */
const large = await pngOf(400, 300);

const created = { filename: 'picture.png', content_type: 'image/png' };

describe('POST /v1/media', () => {
  test('creates pending media with an upload URL for 24 hours', async () => {
    const media = await createMedia(app.api, { size_bytes: 12 });
    const { id, upload_url, expires_at, created_at, ...others } = media;
    expect(others).toEqual({
      ...created,
      status: 'pending',
      url: null,
      received_bytes: 0,
      kind: null,
      size_bytes: 12,
      width: null,
      height: null,
      duration_ms: null,
      error_code: null,
      error_message: null,
    });
    const url = new URL(upload_url);
    expect(`${url.origin}${url.pathname}`).toBe(`${app.url}/uploads/${id}`);
    expect(url.searchParams.get('token')).toMatch(/^[\w-]{43}$/);
    const hours = (Date.parse(expires_at) - Date.parse(created_at)) / 3_600_000;
    expect(hours).toBeCloseTo(24, 2);
    expect(await getMedia(app.api, id)).toEqual({ ...media, upload_url: null });
  });

  test('answers a repeat with the same media and upload URL', async () => {
    const headers = { 'Idempotency-Key': 'media-1' };
    const first = await app.api.post('/v1/media', created, { headers });
    const second = await app.api.post('/v1/media', created, { headers });
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.body.data).toEqual(first.body.data);
  });

  test.each([
    [{ filename: 'a' }, 'content_type'],
    [{ ...created, content_type: 'text/html' }, 'content_type'],
    [{ ...created, content_type: 'image/svg+xml' }, 'content_type'],
    [{ ...created, content_type: 'image/SVG+xml' }, 'content_type'],
    [{ ...created, filename: '' }, 'filename'],
    [{ ...created, size_bytes: 0 }, 'size_bytes'],
    [{ ...created, size_bytes: 1.5 }, 'size_bytes'],
    [{ ...created, content_hash: 'abc' }, 'content_hash'],
  ])('refuses %j', async (body, path) => {
    const answer = await app.api.post('/v1/media', body);
    expect([answer.status, answer.body.error.issues[0].path]).toEqual([422, path]);
  });

  test('refuses an SVG in GraphQL with the path of the type', async () => {
    const query = `mutation ($input: CreateMediaInput!) { createMedia(input: $input) { id } }`;
    const input = { filename: 'a.svg', contentType: 'image/svg+xml' };
    const { body } = await app.api.graphql(query, { input });
    expect(body.errors[0].extensions).toMatchObject({
      code: 'validation_error',
      issues: [
        {
          path: 'input.contentType',
          message: 'must not be SVG; convert it to PNG, JPEG, WebP, GIF or AVIF',
        },
      ],
    });
  });

  test('refuses a file over the limit', async () => {
    const answer = await app.api.post('/v1/media', { ...created, size_bytes: 536_870_913 });
    expect(answer.body.error).toMatchObject({ code: 'payload_too_large', limit: 536_870_912 });
  });
});

describe('GET /v1/media', () => {
  test('lists media newest first, by status and in pages', async () => {
    const { api } = await app.createTenant();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await createMedia(api)).id);
    const uploaded = await createMedia(api);
    await putBytes(uploaded.upload_url, image);
    const list = async (query: string) => {
      const { body } = await api.get(`/v1/media${query}`);
      return { ids: body.data.map(({ id }: { id: string }) => id), meta: body.meta };
    };
    expect((await list('')).ids).toEqual([uploaded.id, ...ids]);
    expect((await list('?status=uploaded')).ids).toEqual([uploaded.id]);
    const first = await list('?status=pending&limit=2');
    expect(first.ids).toEqual(ids.slice(0, 2));
    const rest = await list(`?status=pending&limit=2&cursor=${first.meta.next_cursor}`);
    expect(rest.ids).toEqual(ids.slice(2));
  });
});

describe('POST /v1/media/:id/upload-url', () => {
  test('replaces the upload URL and keeps the bytes', async () => {
    const media = await createMedia(app.api);
    await putPart(media.upload_url, large, 0, partBytes);
    const { status, body } = await app.api.post(`/v1/media/${media.id}/upload-url`);
    expect(status).toBe(200);
    const { upload_url } = body.data;
    const kept = { id: media.id, status: 'pending', received_bytes: partBytes };
    expect(body.data).toMatchObject(kept);
    expect(upload_url).not.toBe(media.upload_url);
    const old = await putBytes(media.upload_url, image);
    expect([old.status, old.body.error.code]).toEqual([403, 'upload_url_invalid']);
    const asked = await askRange(upload_url, large.byteLength);
    expect([asked.status, asked.headers.get('Range')]).toEqual([308, `bytes=0-${partBytes - 1}`]);
    const rest = await putPart(upload_url, large, partBytes, large.byteLength);
    expect([rest.status, rest.body.data]).toMatchObject([200, { width: 400, height: 300 }]);
  });

  test('is refused once the bytes are complete', async () => {
    const media = await createMedia(app.api);
    await putBytes(media.upload_url, image);
    const { status, body } = await app.api.post(`/v1/media/${media.id}/upload-url`);
    expect([status, body.error]).toMatchObject([409, { code: 'conflict' }]);
    expect(body.error.media_status).toBe('uploaded');
  });
});

describe('DELETE /v1/media/:id', () => {
  test('removes the bytes and keeps the record', async () => {
    const media = await createMedia(app.api);
    await putBytes(media.upload_url, image);
    expect((await app.api.delete(`/v1/media/${media.id}`)).status).toBe(204);
    expect(await getMedia(app.api, media.id)).toMatchObject({ status: 'deleted', width: 20 });
    const segments = await app.context.db
      .selectFrom('media_segments')
      .selectAll()
      .where('media_id', '=', media.id)
      .execute();
    expect(segments).toEqual([]);
    expect((await app.api.delete(`/v1/media/${media.id}`)).status).toBe(204);
  });

  test('is refused while a draft uses the media', async () => {
    const account = await app.tenant.connectSandbox('media-user');
    const media = await createMedia(app.api);
    await putBytes(media.upload_url, image);
    const post = await app.tenant.createPost({
      caption: 'With media',
      account_ids: [account.id],
      platform_posts: undefined,
      media_ids: [media.id],
      status: 'draft',
    });
    expect(await getMedia(app.api, media.id)).toMatchObject({ status: 'attached' });
    const refused = await app.api.delete(`/v1/media/${media.id}`);
    expect([refused.status, refused.body.error.post_id]).toEqual([409, post.id]);
    await app.api.delete(`/v1/posts/${post.id}`);
    expect((await app.api.delete(`/v1/media/${media.id}`)).status).toBe(204);
  });
});

describe('media of a test key', () => {
  test('are in the test environment, where production media are not', async () => {
    const { body } = await app.api.post('/v1/api-keys', {
      name: 'test',
      environment: 'test',
      scopes: ['posts:read', 'posts:write'],
    });
    const testApi = createApi(app.url, body.data.key);
    const [mine, theirs] = [await createMedia(app.api), await createMedia(testApi)];
    expect((await testApi.get(`/v1/media/${mine.id}`)).status).toBe(404);
    expect((await app.api.get(`/v1/media/${theirs.id}`)).status).toBe(200);
  });
});

describe('media in GraphQL', () => {
  const fields = 'id status filename contentType sizeBytes receivedBytes kind width height';

  test('are created, read, renewed and deleted', async () => {
    const input = { filename: 'a.png', contentType: 'image/png', sizeBytes: image.byteLength };
    const { createMedia: media } = await ask(
      app,
      `mutation ($input: CreateMediaInput!) { createMedia(input: $input) { ${fields} uploadUrl expiresAt } }`,
      { input },
    );
    expect(media).toMatchObject({ ...input, status: 'PENDING', receivedBytes: 0 });
    const { renewMediaUploadUrl } = await ask(
      app,
      'mutation ($id: ID!) { renewMediaUploadUrl(id: $id) { uploadUrl } }',
      { id: media.id },
    );
    expect((await putBytes(renewMediaUploadUrl.uploadUrl, image)).status).toBe(200);
    const read = await ask(
      app,
      `query ($id: ID!) {
        media(id: $id) { ${fields} uploadUrl }
        node(id: $id) { ... on Media { id } }
        mediaFiles(first: 1, status: UPLOADED) { nodes { id } }
      }`,
      { id: media.id },
    );
    expect(read).toEqual({
      media: {
        id: media.id,
        ...input,
        status: 'UPLOADED',
        receivedBytes: image.byteLength,
        kind: 'IMAGE',
        width: 20,
        height: 10,
        uploadUrl: null,
      },
      node: { id: media.id },
      mediaFiles: { nodes: [{ id: media.id }] },
    });
    const deleted = await ask(app, 'mutation ($id: ID!) { deleteMedia(id: $id) }', {
      id: media.id,
    });
    expect(deleted).toEqual({ deleteMedia: media.id });
  });

  test('are linked from a post', async () => {
    const tenant = await app.createTenant();
    const account = await tenant.connectSandbox('linked-media');
    const { id, upload_url } = await createMedia(tenant.api);
    await putBytes(upload_url, image);
    const post = await tenant.createPost({
      caption: 'With media',
      account_ids: [account.id],
      media: [{ id, alt_text: 'Noise' }],
      status: 'draft',
    });
    const query = `query ($id: ID!) { post(id: $id) {
      media { altText media { id status width } thumbnail { id } }
    } }`;
    const found = await ask(app, query, { id: post.id }, tenant.key);
    expect(found.post.media).toEqual([
      { altText: 'Noise', media: { id, status: 'ATTACHED', width: 20 }, thumbnail: null },
    ]);
  });

  test('are refused with the code of REST', async () => {
    const query =
      'mutation { createMedia(input: { filename: "a", contentType: "text/html" }) { id } }';
    const { code, issues } = await askRefused(app, query);
    expect([code, issues[0].path]).toEqual(['validation_error', 'input.contentType']);
  });

  test('send their changes to subscribers', async () => {
    const tenant = await app.createTenant();
    const media = await createMedia(tenant.api);
    await using stream = subscribeOverSocket({
      url: app.url,
      key: tenant.key,
      query: `subscription ($id: ID!) { mediaUpdated(id: $id) { change mediaId media { status width } } }`,
      variables: { id: media.id },
    });
    await stream.waitFor(1);
    await putBytes(media.upload_url, image);
    await stream.waitFor(2);
    const account = await tenant.connectSandbox('live-media');
    const draft = { caption: 'a', account_ids: [account.id], media_ids: [media.id] };
    const post = await tenant.createPost({ ...draft, status: 'draft' });
    await stream.waitFor(3);
    await tenant.api.delete(`/v1/posts/${post.id}`);
    await tenant.api.delete(`/v1/media/${media.id}`);
    const messages = (await stream.waitFor(4)).map(({ data }) => data.mediaUpdated);
    const { id: mediaId } = media;
    expect(messages).toEqual([
      { change: 'present', mediaId, media: { status: 'PENDING', width: null } },
      { change: 'uploaded', mediaId, media: { status: 'UPLOADED', width: 20 } },
      { change: 'attached', mediaId, media: { status: 'ATTACHED', width: 20 } },
      { change: 'deleted', mediaId, media: { status: 'DELETED', width: 20 } },
    ]);
  });

  test('send the failure and the retry of a fetch to subscribers', async () => {
    const tenant = await app.createTenant();
    const [failure, file] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using files = await startFileServer({
      '/a.png': (_, response) => void failure.promise.then(() => response.writeHead(404).end()),
    });
    const account = await tenant.connectSandbox('live-fetch');
    const media_urls = [`${files.url}/a.png`];
    const post = await tenant.createPost({ caption: 'a', account_ids: [account.id], media_urls });
    const { id } = post.media[0]!;
    await using stream = subscribeOverSocket({
      url: app.url,
      key: tenant.key,
      query: `subscription ($id: ID!) { mediaUpdated(id: $id) { change media { status errorCode } } }`,
      variables: { id },
    });
    await stream.waitFor(1);
    failure.resolve();
    const { results } = await tenant.waitForPost(post.id);
    await stream.waitFor(2);
    files.answers['/a.png'] = (_, response) => void file.promise.then(() => response.end(image));
    await tenant.api.post(`/v1/posts/${post.id}/results/${results[0]!.id}/retry`);
    await stream.waitFor(3);
    file.resolve();
    const messages = (await stream.waitFor(4)).map(({ data }) => data.mediaUpdated);
    expect(messages).toEqual([
      { change: 'present', media: { status: 'PENDING', errorCode: null } },
      { change: 'failed', media: { status: 'FAILED', errorCode: 'media_unreachable' } },
      { change: 'retried', media: { status: 'PENDING', errorCode: null } },
      { change: 'attached', media: { status: 'ATTACHED', errorCode: null } },
    ]);
  });
});
