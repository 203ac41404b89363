// What validation says of posts to an account of Instagram that was connected with a login at Facebook.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import type { RunningNetwork } from '../../../support/networks/contract/subject.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import { InstagramServer } from '../../../support/networks/instagram/server.ts';
import { consentAtFacebook, startNetwork } from '../../../support/networks/instagram/subject.ts';

const server = new InstagramServer();
const { client } = server.facebook.logins;
let network: RunningNetwork;
let app: TestApp;
beforeAll(async () => {
  network = await startNetwork(createSwitchboard(), server);
  app = await startApp({
    env: {
      ...network.env,
      FANFARE_FACEBOOK_CLIENT_ID: client.id,
      FANFARE_FACEBOOK_CLIENT_SECRET: client.secret,
    },
  });
});
afterAll(async () => {
  await app?.stop();
  await network?.[Symbol.asyncDispose]();
});

test('validation reports that an account needs media and takes no threads', async () => {
  const body = { platform: 'instagram', external_user_id: 'user-1' };
  const session = (await app.api.post('/v1/connect/sessions', body)).body.data;
  await consentAtFacebook(session.url);
  const { data } = (await app.api.get(`/v1/connect/sessions/${session.id}`)).body;
  const account_id = data.completed_social_account_id as string;
  const codesOf = async (target: object) => {
    const platform_posts = [{ account_id, caption: 'Hello', ...target }];
    const answer = await app.api.post('/v1/posts/validate', { platform_posts });
    const { errors, warnings } = answer.body.data as Record<
      string,
      { field: string; code: string }[]
    >;
    return [...errors!, ...warnings!].map(({ field, code }) => [field, code]);
  };
  const at = (field: string) => `platform_posts[0].${field}`;
  expect(await codesOf({})).toEqual([['media', 'media_required']]);
  expect(await codesOf({ in_reply_to: '17895695668004550' })).toEqual([]);
  expect(await codesOf({ in_reply_to: '17895695668004550', caption: '' })).toEqual([
    [at('caption'), 'caption_required'],
  ]);
  expect(await codesOf({ thread_position: 0 })).toContainEqual([
    at('thread_position'),
    'threads_not_supported',
  ]);
  expect(await codesOf({ platform_options: { placement: 'story' } })).toContainEqual([
    at('caption'),
    'caption_ignored',
  ]);
});
