// Capabilities that are read anew from TikTok: the creator, and the options and rules that follow, in both APIs.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp } from '../../support/app/app.ts';
import { giveConsent } from '../../support/app/consent.ts';
import { forFile } from '../../support/fixtures.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { startFaultyServer } from '../../support/networks/faulty-server.ts';
import { createTikTokServer } from '../../support/networks/tiktok/server.ts';
import { consentOfTest, tiktokVariables } from '../../support/networks/tiktok/subject.ts';

const network = createTikTokServer();
const server = forFile(
  () => startFaultyServer(network, createSwitchboard()),
  (started) => started.close(),
);
const app = forFile(() =>
  startApp({
    roles: { api: true, worker: false },
    env: tiktokVariables(server.url, network.login.client),
  }),
);
let accountId: string;

beforeAll(async () => {
  const session = { platform: 'tiktok', external_user_id: 'user-1' };
  const { body } = await app.api.post('/v1/connect/sessions', session);
  await giveConsent(body.data.url, { decision: { decision: 'allow' } });
  const ended = await app.api.get(`/v1/connect/sessions/${body.data.id}`);
  accountId = ended.body.data.completed_social_account_id;
  expect(accountId, ended.text).toBeTruthy();
});
beforeEach(() => {
  network.refusesPosts = undefined;
  network.calls.length = 0;
});

const read = (query = '') => app.api.get(`/v1/accounts/${accountId}/capabilities${query}`);
const levelsOf = (body: { data: { options: unknown } }) =>
  (body.data.options as { properties: { privacy_level: { enum: string[] } } }).properties
    .privacy_level.enum;

const creator = {
  name: 'Ada',
  username: 'ada_l',
  avatar_url: 'https://p16.tiktokcdn.test/ada.jpeg',
  can_post: true,
  reason: null,
};

describe('capabilities', () => {
  test('are those of the last answer, without a call', async () => {
    const { body } = await read();
    expect(levelsOf(body)).toEqual(['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']);
    expect(body.data.media.video.max_duration_ms).toBe(300_000);
    expect(body.data.text).toMatchObject({ max: 2_200, max_with_images: 4_000 });
    expect(body.data.creator).toBeNull();
    expect(network.calls).toEqual([]);
  });

  test('are read anew with `refresh`, and decide the validation from then on', async () => {
    network.creator.privacy_level_options = ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'];
    network.creator.max_video_post_duration_sec = 60;
    const { status, body } = await read('?refresh=true');
    expect([status, levelsOf(body)]).toEqual([200, ['FOLLOWER_OF_CREATOR', 'SELF_ONLY']]);
    expect(body.data.media.video.max_duration_ms).toBe(60_000);
    expect(body.data.creator).toEqual(creator);
    expect(levelsOf((await read()).body)).toEqual(['FOLLOWER_OF_CREATOR', 'SELF_ONLY']);
    const platform_options = { privacy_level: 'PUBLIC_TO_EVERYONE', consent: consentOfTest };
    const post = { platform_posts: [{ account_id: accountId, platform_options }] };
    const { errors } = (await app.api.post('/v1/posts/validate', post)).body.data;
    expect(errors).toContainEqual(
      expect.objectContaining({ path: 'platform_posts[0].platform_options.privacy_level' }),
    );
  });

  test('say that the creator can publish nothing for now', async () => {
    network.refusesPosts = 'spam_risk_too_many_posts';
    const { body } = await read('?refresh=true');
    expect(body.data.creator).toMatchObject({ username: 'ada_l', can_post: false });
    expect(body.data.creator.reason).toContain('as many posts through apps');
  });

  test('are the same in GraphQL', async () => {
    const query = `query ($id: ID!, $refresh: Boolean) { account(id: $id) {
      capabilities(refresh: $refresh) { options creator { name username avatarUrl canPost reason } }
    } }`;
    const { account } = await ask(app, query, { id: accountId, refresh: true });
    const { avatar_url: avatarUrl, can_post: canPost, ...shown } = creator;
    expect(account.capabilities.creator).toEqual({ ...shown, avatarUrl, canPost });
    expect(account.capabilities.options).toEqual((await read()).body.data.options);
    const kept = await ask(app, query, { id: accountId });
    expect(kept.account.capabilities.creator).toBeNull();
  });

  test('share one call between requests at the same time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => read('?refresh=true')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(network.calls.length).toBeLessThanOrEqual(3);
  });

  test('of a login that TikTok has ended must be connected again', async () => {
    network.revokeToken();
    const refused = await read('?refresh=true');
    expect([refused.status, refused.body.error.code]).toEqual([409, 'reconnect_required']);
    const query =
      'query ($id: ID!) { account(id: $id) { capabilities(refresh: true) { platform } } }';
    const error = await askRefused(app, query, { id: accountId });
    expect(error.code).toBe('reconnect_required');
    expect((await read()).status).toBe(200);
  });
});
