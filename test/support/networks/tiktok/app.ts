// A whole Fanfare that publishes to the simulated TikTok, with an account of its creator and media to publish.
import { expect } from 'vitest';
import { startApp, type TestAppOptions } from '../../app/app.ts';
import { giveConsent } from '../../app/consent.ts';
import { noise, video } from '../../media/samples.ts';
import { createMedia, putBytes } from '../../media/uploads.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createTikTokServer } from './server.ts';
import { tiktokVariables } from './subject.ts';

export type TikTokApp = Awaited<ReturnType<typeof startTikTokApp>>;

export async function startTikTokApp({ env, ...options }: TestAppOptions = {}) {
  const network = createTikTokServer();
  const server = await startFaultyServer(network, createSwitchboard());
  network.origin = server.url;
  const variables = tiktokVariables(server.url, network.login.client);
  const app = await startApp({ ...options, env: { ...variables, ...env } });
  const { api } = app;

  async function connect(): Promise<string> {
    const session = { platform: 'tiktok', external_user_id: 'user-1' };
    const { body } = await api.post('/v1/connect/sessions', session);
    await giveConsent(body.data.url, { decision: { decision: 'allow' } });
    const ended = await api.get(`/v1/connect/sessions/${body.data.id}`);
    expect(ended.body.data, ended.text).toMatchObject({ status: 'completed' });
    return ended.body.data.completed_social_account_id;
  }

  async function upload(filename: string, content_type: string, bytes: Buffer): Promise<string> {
    const { id, upload_url } = await createMedia(api, { filename, content_type });
    const answer = await putBytes(upload_url, bytes);
    expect(answer.status, answer.text).toBe(200);
    return id;
  }

  return {
    app,
    network,
    accountId: await connect(),
    uploadVideo: async (seconds = 4) =>
      upload('clip.mp4', 'video/mp4', await video('mp4', 0, { seconds })),
    uploadPhoto: async () =>
      upload('photo.jpg', 'image/jpeg', await noise(640, 640).jpeg().toBuffer()),
    async [Symbol.asyncDispose]() {
      await app.stop();
      await server.close();
    },
  };
}
