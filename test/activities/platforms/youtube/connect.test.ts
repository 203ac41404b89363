// How a channel is connected to YouTube, and how its login is renewed and ended.
import { describe, expect, test } from 'vitest';
import { readGrant } from '../../../../activities/platforms/platform-answer.ts';
import { youtube as definition } from '../../../../schema/platforms/youtube.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { scopeUrl } from '../../../support/networks/youtube/login.ts';
import { startYouTube } from '../../../support/networks/youtube/connected.ts';

const never = new AbortController().signal;
const scopes = [scopeUrl('youtube.upload'), scopeUrl('youtube.readonly')];

describe('the consent', () => {
  test('asks for offline access, with a new consent', async () => {
    await using network = await startYouTube();
    const { url } = await network.allow();
    const { searchParams } = new URL(url);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      access_type: 'offline',
      prompt: 'consent',
      scope: scopes.join(' '),
      code_challenge_method: 'S256',
    });
  });

  test('connects the channel of the consent', async () => {
    await using network = await startYouTube();
    const { credentials, ...grant } = await network.logIn();
    expect(grant).toEqual({
      scope: scopes,
      tokenExpiresAt: expect.any(Date),
      accounts: [
        {
          externalAccountId: 'UCBrassBand01234567890ab',
          accountName: 'Brass Band',
          pictureUrl: 'https://yt3.test/brass=s88',
          traits: { uploads: 'UUBrassBand01234567890ab' },
          problem: null,
        },
      ],
    });
    expect(Object.keys(credentials).toSorted()).toEqual(['access_token', 'refresh_token']);
    const { url } = network.server.requests.at(-1)!;
    expect(new URL(url).search).toBe('?part=snippet%2CcontentDetails&mine=true');
  });

  test('returns a refresh token to a user who has consented before', async () => {
    await using network = await startYouTube();
    const again = await network.logIn();
    expect(again.credentials['refresh_token']).toMatch(/^refresh-/);
    expect(again.credentials).not.toEqual(network.grant.credentials);
  });

  test('is refused for a Google account without a channel, and keeps other logins', async () => {
    await using network = await startYouTube();
    network.server.hasChannel = false;
    const error = await refusal(network.logIn());
    expect([error.kind, error.options.platformCode]).toEqual(['rejected', 'youtubeSignupRequired']);
    expect(error.message).toContain('has no YouTube channel');
    expect(network.server.login.grants.countLive()).toBe(2);
  });

  test('is refused if the user leaves out a permission', async () => {
    await using network = await startYouTube();
    network.server.login.withheldScopes.add(scopeUrl('youtube.upload'));
    const grant = await network.logIn();
    expect(() => readGrant(grant, definition.scopes)).toThrow(
      `lacks these permissions: ${scopeUrl('youtube.upload')}`,
    );
  });

  test('ends with the refusal of the user', async () => {
    await using network = await startYouTube();
    const { query, flow } = await network.allow('deny');
    expect(query).toMatchObject({ error: 'access_denied' });
    const request = { ...network.request, flow };
    const error = await refusal(network.method.complete(query, request, never));
    expect([error.kind, error.options.platformCode]).toEqual(['rejected', 'access_denied']);
  });
});

describe('a login', () => {
  test('is refreshed, and keeps its refresh token', async () => {
    await using network = await startYouTube();
    const { credentials } = network.grant;
    const fresh = await network.youtube.refresh!(network.stored, never);
    expect(fresh.credentials['refresh_token']).toBe(credentials['refresh_token']);
    expect(fresh.credentials['access_token']).not.toBe(credentials['access_token']);
    const inMs = fresh.tokenExpiresAt!.getTime() - Date.now();
    expect(inMs).toBeGreaterThan(3_500_000);
    expect(inMs).toBeLessThanOrEqual(3_599_000);
  });

  test('is over once the user has revoked it', async () => {
    await using network = await startYouTube();
    network.server.revokeToken();
    const error = await refusal(network.youtube.refresh!(network.stored, never));
    expect([error.kind, error.options.platformCode]).toEqual(['reauthorize', 'invalid_grant']);
  });

  test('is revoked, and all logins of the user with it', async () => {
    await using network = await startYouTube();
    const other = await network.logIn();
    expect(network.youtube.revokesAll!.userOf(network.grant.credentials)).toBeUndefined();
    await network.youtube.revoke!(network.stored, never);
    for (const { credentials } of [network.grant, other]) {
      const error = await refusal(
        network.youtube.refresh!({ ...network.stored, credentials }, never),
      );
      expect(error.kind).toBe('reauthorize');
    }
  });

  test('is imported with its tokens', async () => {
    await using network = await startYouTube();
    const { access_token, refresh_token } = network.server.login.createToken();
    const imported = await network.youtube.importTokens!(
      {
        accessToken: access_token,
        refreshToken: refresh_token!,
        expiresAt: null,
        scope: null,
        instance: null,
      },
      never,
    );
    expect(imported.credentials).toEqual({ access_token, refresh_token });
    expect(imported.accounts).toMatchObject([{ accountName: 'Brass Band' }]);
  });

  test('is checked by the channel that it reaches', async () => {
    await using network = await startYouTube();
    const target = { ...network.target(), app: network.app, scope: scopes };
    const { accounts } = await network.youtube.checks!.inspect(target, never);
    expect(accounts).toMatchObject([{ externalAccountId: 'UCBrassBand01234567890ab' }]);
    network.server.revokeToken();
    const error = await refusal(network.youtube.checks!.inspect(target, never));
    expect([error.kind, error.options.platformCode]).toEqual(['reauthorize', 'authError']);
  });
});
