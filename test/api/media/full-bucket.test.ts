// A bucket without space: an upload learns that it is the store that is full.
import { beforeAll, afterAll, expect, test, vi } from 'vitest';
import { openStore } from '../../../activities/media/store/open.ts';
import { useApp } from '../../support/app/app.ts';
import { startUploads } from '../../support/media/upload-server.ts';
import { createMedia, getMedia, pngOf, putBytes } from '../../support/media/uploads.ts';
import { startHttp } from '../../support/receivers/loopback.ts';

const app = useApp({ roles: { api: true, worker: false } });
const image = await pngOf(20, 10);

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => void vi.unstubAllEnvs());

test.each([
  [403, 'QuotaExceeded', 507, 'media_storage_full'],
  [507, 'XMinioStorageFull', 507, 'media_storage_full'],
  [400, 'XMinioAdminBucketQuotaExceeded', 507, 'media_storage_full'],
  [507, 'Other', 507, 'media_storage_full'],
  [403, 'AccessDenied', 503, 'unavailable'],
])('%i %s ends an upload with %i %s', async (answered, name, status, code) => {
  const service = await startHttp((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(answered, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>${name}</Code><Message>No.</Message></Error>`);
    });
  });
  const endpoint = encodeURIComponent(new URL(service.url).origin);
  const url = `s3://media?region=us-east-1&endpoint=${endpoint}&path_style=true`;
  const media = { ...app.context.media!, store: await openStore(url) };
  await using server = await startUploads({ ...app.context, media });
  const { id, upload_url } = await createMedia(app.api);
  const answer = await putBytes(server.at(upload_url), image);
  expect([answer.status, answer.body.error]).toMatchObject([status, { code, is_retriable: true }]);
  expect(await getMedia(app.api, id)).toMatchObject({ status: 'pending', received_bytes: 0 });
  expect((await putBytes(upload_url, image)).status).toBe(200);
});
