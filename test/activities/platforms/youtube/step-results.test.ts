// The steps of a video through the whole of Fanfare: their outcomes, and a retry of the step that failed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostResult } from '../../../../schema/posts/posts.ts';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import { giveConsent } from '../../../support/app/consent.ts';
import { noise, video } from '../../../support/media/samples.ts';
import { createMedia, putBytes } from '../../../support/media/uploads.ts';
import type { RunningNetwork } from '../../../support/networks/contract/subject.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import { createYouTubeServer } from '../../../support/networks/youtube/server.ts';
import { startNetwork } from '../../../support/networks/youtube/subject.ts';

const server = createYouTubeServer();
server.readsUntilProcessed = 0;
let network: RunningNetwork;
let app: TestApp;
beforeAll(async () => {
  network = await startNetwork(createSwitchboard(), server);
  app = await startApp({ env: network.env });
});
afterAll(async () => {
  await app?.stop();
  await network?.[Symbol.asyncDispose]();
});

async function connect(): Promise<string> {
  const body = { platform: 'youtube', external_user_id: 'user-1' };
  const session = (await app.api.post('/v1/connect/sessions', body)).body.data;
  await giveConsent(session.url, { inputs: {}, decision: {} });
  const { data } = (await app.api.get(`/v1/connect/sessions/${session.id}`)).body;
  return data.completed_social_account_id;
}

async function upload(filename: string, content_type: string, bytes: Buffer): Promise<string> {
  const media = await createMedia(app.api, { filename, content_type });
  expect((await putBytes(media.upload_url, bytes)).status).toBe(200);
  return media.id;
}

const readSteps = ({ steps }: PostResult) =>
  steps.map(({ name, status, error_code }) => ({ name, status, error_code }));

test('a failed step leaves the video published, and a retry repeats only that step', async () => {
  const account_id = await connect();
  const id = await upload('march.mp4', 'video/mp4', await video('mp4'));
  const thumbnail_id = await upload(
    'cover.jpg',
    'image/jpeg',
    await noise(64, 36).jpeg().toBuffer(),
  );
  server.steps.playlists.delete('PLmarches');
  const post = await app.tenant.createPost({
    caption: 'A march',
    media: [{ id, thumbnail_id }],
    platform_posts: [
      {
        account_id,
        platform_options: { title: 'March', made_for_kids: false, playlist_id: 'PLmarches' },
      },
    ],
  });
  const ended = await app.tenant.waitForPost(post.id);
  const [result] = ended.results as [PostResult];
  expect(ended.status).toBe('published');
  expect(result).toMatchObject({ status: 'published', error_code: null });
  expect(readSteps(result)).toEqual([
    { name: 'thumbnail', status: 'published', error_code: null },
    { name: 'playlist', status: 'failed', error_code: 'rejected' },
  ]);
  expect(server.videos).toMatchObject([{ id: result.external_id, thumbnail: expect.any(String) }]);

  server.steps.playlists.set('PLmarches', []);
  server.calls.length = 0;
  const retried = await app.api.post(`/v1/posts/${post.id}/results/${result.id}/retry`);
  expect(retried.status, retried.text).toBe(202);
  const again = await app.tenant.waitForPost(post.id);
  expect(readSteps(again.results[0]!)).toEqual([
    { name: 'thumbnail', status: 'published', error_code: null },
    { name: 'playlist', status: 'published', error_code: null },
  ]);
  expect(server.steps.playlists.get('PLmarches')).toEqual([result.external_id]);
  expect(server.calls.filter((call) => !call.startsWith('GET'))).toEqual([
    'POST /youtube/v3/playlistItems',
  ]);
});

test('a login without the scope of playlists fails the step, not the video', async () => {
  server.login.withheldScopes.add('https://www.googleapis.com/auth/youtube');
  const account_id = await connect();
  const id = await upload('waltz.mp4', 'video/mp4', await video('mp4'));
  const post = await app.tenant.createPost({
    media: [{ id }],
    platform_posts: [
      {
        account_id,
        platform_options: { title: 'Waltz', made_for_kids: false, playlist_id: 'PLmarches' },
      },
    ],
  });
  const { status, results } = await app.tenant.waitForPost(post.id);
  expect([status, results[0]!.status]).toEqual(['published', 'published']);
  expect(readSteps(results[0]!)).toEqual([
    { name: 'playlist', status: 'failed', error_code: 'permission_missing' },
  ]);
});
