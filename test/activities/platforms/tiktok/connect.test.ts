// Logins at TikTok: the consent page, what the creator deselects, rotating tokens and revocation.
import { describe, expect, test } from 'vitest';
import { canRefresh } from '../../../../activities/logins/login-columns.ts';
import type { ConsentMethod } from '../../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { loginOf } from '../../../support/networks/connection.ts';
import { startTikTok } from '../../../support/networks/tiktok/connected.ts';
import { refuseOAuth } from '../../../support/networks/tiktok/refusals.ts';

const never = new AbortController().signal;

type Started = Awaited<ReturnType<typeof startTikTok>>;
const consentOf = ({ tiktok, app }: Started) => loginOf(tiktok.connect[0] as ConsentMethod, app);

/** A login whose creator has deselected scopes. */
async function logInWithout(started: Started, ...scopes: string[]) {
  for (const scope of scopes) started.network.login.withheldScopes.add(scope);
  return consentOf(started).logIn();
}

describe('a login', () => {
  test('names the client as TikTok does, and separates scopes with commas', async () => {
    await using started = await startTikTok();
    const { url } = await consentOf(started).allow();
    const query = Object.fromEntries(new URL(url).searchParams);
    expect(query).toEqual({
      client_key: started.app.clientId,
      response_type: 'code',
      redirect_uri: expect.any(String) as string,
      scope: 'user.info.basic,video.publish,video.upload',
      state: expect.any(String) as string,
    });
    expect(new URL(url).pathname).toBe('/v2/auth/authorize/');
  });

  test('reaches the creator, with what TikTok lets them choose', async () => {
    await using started = await startTikTok();
    const { network, grant, connection } = started;
    expect(grant.scope).toEqual(['user.info.basic', 'video.publish', 'video.upload']);
    expect(connection).toMatchObject({
      externalAccountId: network.openId,
      accountName: '@ada_l',
      traits: {
        user_id: network.openId,
        username: 'ada_l',
        privacy_levels: 'PUBLIC_TO_EVERYONE,MUTUAL_FOLLOW_FRIENDS,SELF_ONLY',
        comment_disabled: false,
        max_video_s: 300,
        can_publish: true,
        can_upload: true,
      },
    });
  });

  test('goes by the lifetimes that TikTok names', async () => {
    await using started = await startTikTok();
    const { credentials, tokenExpiresAt } = started.grant;
    const hoursLeft = (tokenExpiresAt!.getTime() - Date.now()) / 3_600_000;
    expect(hoursLeft).toBeGreaterThan(1.9);
    expect(hoursLeft).toBeLessThanOrEqual(2);
    const daysLeft = (Number(credentials['refresh_expires_at']) - Date.now()) / 86_400_000;
    expect(daysLeft).toBeGreaterThan(179);
    expect(daysLeft).toBeLessThanOrEqual(180);
    expect(canRefresh(started.tiktok, credentials)).toBe(true);
    const old = { ...credentials, refresh_expires_at: String(Date.now() - 1) };
    expect(canRefresh(started.tiktok, old)).toBe(false);
  });

  test.each([
    [['video.publish'], { can_publish: false, can_upload: true }, null],
    [['video.upload'], { can_publish: true, can_upload: false }, null],
    [
      ['video.publish', 'video.upload'],
      { can_publish: false, can_upload: false },
      'The login lacks video.publish or video.upload.',
    ],
  ])('works without %j', async (scopes, traits, problem) => {
    await using started = await startTikTok();
    const { accounts } = await logInWithout(started, ...scopes);
    expect(accounts).toMatchObject([{ traits, problem }]);
  });

  test('is possible for a creator who can publish nothing for now', async () => {
    await using started = await startTikTok((network) => {
      network.refusesPosts = 'spam_risk_too_many_posts';
    });
    expect(started.connection).toMatchObject({ accountName: 'Ada', traits: { can_publish: true } });
    expect(started.connection.traits).not.toHaveProperty('privacy_levels');
  });

  test('can be imported, whatever its scopes are', async () => {
    await using started = await startTikTok();
    const { access_token, refresh_token } = started.grant.credentials;
    const tokens = {
      accessToken: access_token!,
      refreshToken: refresh_token!,
      expiresAt: null,
      scope: null,
      instance: null,
    };
    const { accounts } = await started.tiktok.importTokens!(tokens, never);
    expect(accounts).toMatchObject([{ accountName: '@ada_l', problem: null }]);
  });
});

describe('a refresh', () => {
  test('replaces the refresh token, and the old one no longer works', async () => {
    await using started = await startTikTok();
    const { tiktok, login, grant } = started;
    const fresh = await tiktok.refresh!(login, never);
    expect(fresh.credentials['refresh_token']).not.toBe(grant.credentials['refresh_token']);
    expect(fresh.credentials['open_id']).toBe(started.network.openId);
    const error = await refusal(tiktok.refresh!(login, never));
    expect(error.kind).toBe('reauthorize');
  });

  test('ends the login if TikTok refuses it with status 200', async () => {
    await using started = await startTikTok();
    started.network.login.nextTokenAnswer = refuseOAuth('invalid_grant', 'It is invalid.', 200);
    const error = await refusal(started.tiktok.refresh!(started.login, never));
    expect(error).toMatchObject({ kind: 'reauthorize' });
  });
});

describe('a revocation', () => {
  test('ends the login by its access token', async () => {
    await using started = await startTikTok();
    const { tiktok, login } = started;
    await tiktok.revoke!(login, never);
    expect((await refusal(tiktok.refresh!(login, never))).kind).toBe('reauthorize');
    expect(tiktok.revokesAll!.userOf(login.credentials)).toBe(started.network.openId);
  });
});

describe('a check', () => {
  const checkedOf = (started: Started) => ({ ...started.target(), app: started.app, scope: null });

  test('finds the creator', async () => {
    await using started = await startTikTok();
    const { accounts } = await started.tiktok.checks!.inspect(checkedOf(started), never);
    expect(accounts).toMatchObject([{ externalAccountId: started.network.openId, problem: null }]);
  });

  test('finds that the creator may publish no more for now', async () => {
    await using started = await startTikTok();
    started.network.refusesPosts = 'spam_risk_too_many_posts';
    const error = await refusal(started.tiktok.checks!.quota!(started.target(), never));
    expect(error).toBeInstanceOf(PlatformError);
    expect(error.options.isOutOfQuota).toBe(true);
  });
});

describe('the creator, for a client that shows who publishes', () => {
  const ask = ({ tiktok, connection, login }: Started) =>
    tiktok.creator!({ ...login, ...connection, traits: connection.traits ?? {} }, never);

  test('has a name and a picture, and what they can choose now', async () => {
    await using started = await startTikTok();
    started.network.creator.privacy_level_options = ['SELF_ONLY'];
    expect(await ask(started)).toMatchObject({
      name: 'Ada',
      username: 'ada_l',
      avatarUrl: 'https://p16.tiktokcdn.test/ada.jpeg',
      reason: null,
      traits: { privacy_levels: 'SELF_ONLY' },
    });
  });

  test.each([
    'spam_risk_too_many_posts',
    'reached_active_user_cap',
    'spam_risk_user_banned_from_posting',
  ])('can publish nothing for now: %s', async (code) => {
    await using started = await startTikTok();
    started.network.refusesPosts = code;
    const { username, reason } = await ask(started);
    expect([username, reason?.includes(code)]).toEqual(['ada_l', true]);
  });

  test('is unknown to a login that only sends drafts', async () => {
    await using started = await startTikTok();
    const grant = await logInWithout(started, 'video.publish');
    const account = { ...started.connection, ...started.login, ...grant, traits: {} };
    const creator = await started.tiktok.creator!(account, never);
    expect(creator).toMatchObject({ name: null, reason: null, traits: { can_publish: false } });
  });
});
