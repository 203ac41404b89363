// Logging in at Pinterest: what the consent asks for, the account that it reaches, its refresh and its end.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { loginOf } from '../../../support/networks/connection.ts';
import { startPinterest } from '../../../support/networks/pinterest/connected.ts';
import { consentOf } from '../../../support/networks/oauth/hosted-flow.ts';
import { targetOf } from '../../../support/networks/target.ts';
import { createImage } from '../../../support/media/target-media.ts';
import { boardId } from '../../../support/networks/pinterest/server.ts';

const never = new AbortController().signal;
const scopes = ['boards:read', 'boards:write', 'pins:read', 'pins:write', 'user_accounts:read'];

const daysUntil = (date: Date | null) => (date!.getTime() - Date.now()) / 86_400_000;

describe('a consent', () => {
  test('asks for the scopes with commas, and without a challenge', async () => {
    await using network = await startPinterest();
    const { allow, request } = loginOf(consentOf(network.pinterest), network.app);
    const url = new URL((await allow()).url);
    expect(url.pathname).toBe('/oauth/');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: network.app.clientId,
      redirect_uri: request.callbackUrl,
      scope: scopes.join(','),
      state: request.state,
    });
  });

  test('connects the account, with a login of 30 days', async () => {
    await using network = await startPinterest();
    const { accounts, scope, tokenExpiresAt, credentials } = await network.logIn();
    expect(accounts).toEqual([
      { externalAccountId: '2783136121146311751', accountName: 'ada_l', problem: null },
    ]);
    expect(scope).toEqual(scopes);
    expect(Math.round(daysUntil(tokenExpiresAt))).toBe(30);
    expect(Object.keys(credentials).toSorted()).toEqual(['access_token', 'refresh_token']);
  });

  test('is refused with the words of Pinterest if the code was used before', async () => {
    await using network = await startPinterest();
    const { allow, method, request } = loginOf(consentOf(network.pinterest), network.app);
    const { query, flow } = await allow();
    await method.complete(query, { ...request, flow }, never);
    const again = await refusal(method.complete(query, { ...request, flow }, never));
    expect(again).toMatchObject({
      kind: 'rejected',
      message: 'Pinterest refused the request: 283: The authorization grant is invalid',
      options: { platformCode: '283' },
    });
  });

  test('needs the secret of the app', async () => {
    await using network = await startPinterest();
    const app = { ...network.app, clientSecret: 'wrong' };
    const error = await refusal(loginOf(consentOf(network.pinterest), app).logIn());
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '2' } });
  });

  test('fails if Pinterest has not given the app any access', async () => {
    await using network = await startPinterest();
    network.server.access = 'none';
    expect(await refusal(network.logIn())).toMatchObject({
      kind: 'rejected',
      options: { failsAs: 'app_not_approved', platformCode: '3' },
    });
  });

  test('is a denial if the user refuses it', async () => {
    await using network = await startPinterest();
    const { allow } = loginOf(consentOf(network.pinterest), network.app);
    expect((await allow('deny')).query).toMatchObject({ error: 'access_denied' });
  });
});

describe('a refresh', () => {
  test('gets new tokens, and each refresh token works once', async () => {
    await using network = await startPinterest();
    const { credentials } = network.login;
    network.server.expireToken();
    const media = [await createImage()];
    expect(await refusal(network.commit(network.target({ media })))).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: '2' },
    });
    const fresh = await network.pinterest.refresh!(network.login, never);
    expect(fresh.credentials).toEqual({
      access_token: expect.not.stringMatching(credentials['access_token']!) as string,
      refresh_token: expect.not.stringMatching(credentials['refresh_token']!) as string,
    });
    expect(Math.round(daysUntil(fresh.tokenExpiresAt))).toBe(30);
    const renewed = { ...network.connection, credentials: fresh.credentials };
    const target = targetOf(renewed, { media, platformOptions: { board_id: boardId } });
    expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
    expect(await refusal(network.pinterest.refresh!(network.login, never))).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: '283' },
    });
  });

  test('ends the login if the user has removed the app', async () => {
    await using network = await startPinterest();
    network.server.revokeToken();
    expect(await refusal(network.pinterest.refresh!(network.login, never))).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: '283' },
    });
  });

  test('keeps the login if Pinterest refuses the app', async () => {
    await using network = await startPinterest();
    const login = { ...network.login, app: { ...network.app, clientSecret: 'wrong' } };
    expect(await refusal(network.pinterest.refresh!(login, never))).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: '2' },
    });
  });
});

describe('a revocation', () => {
  test('ends both tokens', async () => {
    await using network = await startPinterest();
    network.server.logins.canRevoke = true;
    await network.pinterest.revoke!(network.login, never);
    expect(network.server.calls).toEqual(Array(2).fill('POST /v5/oauth/token/revoke'));
    expect(network.server.logins.grants.countLive()).toBe(0);
  });

  test('is refused for the tokens of users, as Pinterest documents', async () => {
    await using network = await startPinterest();
    expect(await refusal(network.pinterest.revoke!(network.login, never))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: '29' },
    });
  });
});

describe('imported tokens', () => {
  const tokens = { refreshToken: null, expiresAt: null, scope: null, instance: null };

  test('connect their account', async () => {
    await using network = await startPinterest();
    const accessToken = network.login.credentials['access_token']!;
    const { accounts } = await network.pinterest.importTokens!({ ...tokens, accessToken }, never);
    expect(accounts).toMatchObject([{ accountName: 'ada_l' }]);
  });

  test('are refused if they are wrong', async () => {
    await using network = await startPinterest();
    const given = { ...tokens, accessToken: 'wrong' };
    expect(await refusal(network.pinterest.importTokens!(given, never))).toMatchObject({
      kind: 'reauthorize',
    });
  });
});
