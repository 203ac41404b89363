// The login at X: the consent, its tokens, their refresh and their end.
import { describe, expect, test } from 'vitest';
import type { ConsentMethod } from '../../../../activities/platforms/platform.ts';
import { twitter as definition } from '../../../../schema/platforms/twitter.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startTwitter } from '../../../support/networks/twitter/connected.ts';

const never = new AbortController().signal;

describe('a consent', () => {
  test('asks for the scopes with a challenge, at the page of X', async () => {
    await using x = await startTwitter();
    const [method] = x.twitter.connect as [ConsentMethod];
    const asked = { state: 's', callbackUrl: 'https://a.test/callback', productName: 'Acme' };
    const request = { ...asked, inputs: {}, app: x.app };
    const { url, flow } = await method.begin(request, never);
    const { pathname, searchParams } = new URL(url);
    expect(pathname).toBe('/i/oauth2/authorize');
    expect(Object.fromEntries(searchParams.entries())).toMatchObject({
      response_type: 'code',
      client_id: x.app.clientId,
      redirect_uri: 'https://a.test/callback',
      scope: 'tweet.read tweet.write users.read media.write offline.access',
      state: 's',
      code_challenge_method: 'S256',
    });
    expect(Object.keys(flow)).toEqual(['verifier']);
  });

  test('gives one account with both tokens, for two hours', async () => {
    await using x = await startTwitter({ subscription: 'Premium' });
    expect(Object.keys(x.grant.credentials)).toEqual(['access_token', 'refresh_token']);
    expect(x.grant.scope).toEqual([...definition.scopes, 'offline.access']);
    const expiresInMs = x.grant.tokenExpiresAt!.getTime() - Date.now();
    expect(expiresInMs).toBeGreaterThan(7_100_000);
    expect(expiresInMs).toBeLessThanOrEqual(7_200_000);
    expect(x.grant.accounts).toEqual([
      {
        externalAccountId: x.network.account.id,
        accountName: '@ada_l',
        traits: { username: 'ada_l', subscription: 'Premium' },
        problem: null,
      },
    ]);
  });

  test('is refused without showing its code if the code is too old or already used', async () => {
    await using x = await startTwitter();
    x.network.login.codeLifeMs = -1;
    const error = await refusal(x.logIn());
    expect(error).toMatchObject({
      kind: 'rejected',
      message:
        'X refused the request: invalid_request: Value passed for the authorization code was invalid.',
    });
    const shown = JSON.stringify([error.message, error.options]);
    expect(x.network.login.listSecrets().filter((secret) => shown.includes(secret))).toEqual([]);
  });

  test('is refused if the secret of the app is wrong', async () => {
    await using x = await startTwitter();
    x.app.clientSecret = 'wrong';
    expect(await refusal(x.logIn())).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('unauthorized_client: Missing valid authorization header'),
    });
  });

  test('is refused if it gives no refresh token', async () => {
    await using x = await startTwitter();
    x.network.login.withheldScopes.add('offline.access');
    expect(await refusal(x.logIn())).toMatchObject({
      kind: 'rejected',
      message: 'X returned no refresh token. Log in again.',
    });
    expect(x.network.login.grants.countLive()).toBe(1);
  });

  test('is revoked if X does not show its account', async () => {
    await using x = await startTwitter();
    x.network.intercept = (request) =>
      request.url.includes('/users/me') ? x.network.refuse('unavailable') : undefined;
    expect((await refusal(x.logIn())).kind).toBe('unavailable');
    const [first, second] = await Promise.all(
      x.network.requests.slice(-2).map((request) => request.text()),
    );
    expect([first, second]).toEqual([
      expect.stringContaining('token=refresh-'),
      expect.stringContaining('token=access-'),
    ]);
    // The login before this one.
    expect(x.network.login.grants.countLive()).toBe(1);
    expect(await x.commit(x.target())).toMatchObject({ outcome: 'published' });
  });

  test("is refused with X's code if the user declines it", async () => {
    await using x = await startTwitter();
    const [method] = x.twitter.connect as [ConsentMethod];
    const asked = { state: 's', callbackUrl: 'https://a.test', productName: 'Acme' };
    const request = { ...asked, inputs: {}, app: x.app, flow: {} };
    const query = { error: 'access_denied', state: 's' };
    const error = await refusal(method.complete(query, request, never));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'access_denied' } });
  });
});

describe('a refresh', () => {
  test('replaces both tokens, and the old tokens no longer work', async () => {
    await using x = await startTwitter();
    const { refresh } = x.twitter;
    const fresh = await refresh!(x.login, never);
    expect(Object.keys(fresh.credentials)).toEqual(['access_token', 'refresh_token']);
    expect(fresh.credentials['refresh_token']).not.toBe(x.login.credentials['refresh_token']);
    expect(fresh.tokenExpiresAt!.getTime()).toBeGreaterThan(Date.now() + 7_100_000);
    expect(await x.commit(x.target({ credentials: fresh.credentials }))).toMatchObject({
      outcome: 'published',
    });
    expect((await refusal(x.commit(x.target({ caption: 'Again' })))).kind).toBe('reauthorize');
    const again = await refusal(refresh!(x.login, never));
    expect(again).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'invalid_request' },
    });
  });

  test.each([
    [{ error: 'invalid_grant' }, 'reauthorize'],
    [
      { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
      'reauthorize',
    ],
    // About the request or the app. The login may still be good.
    [
      { error: 'invalid_request', error_description: 'Missing required parameter [grant_type].' },
      'unavailable',
    ],
    [
      { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
      'unavailable',
    ],
  ])('turns the refusal %j into %s', async (body, kind) => {
    await using x = await startTwitter();
    x.network.login.nextTokenAnswer = Response.json(body, { status: 400 });
    expect((await refusal(x.twitter.refresh!(x.login, never))).kind).toBe(kind);
  });

  test('may have used the token if its answer is lost', async () => {
    await using x = await startTwitter();
    x.network.login.nextTokenAnswer = new Response('<html>Bad gateway</html>', { status: 502 });
    expect((await refusal(x.twitter.refresh!(x.login, never))).kind).toBe('unknown_outcome');
  });
});

describe('a revocation', () => {
  test('ends both tokens, and leaves a newer login', async () => {
    await using x = await startTwitter();
    const newer = await x.logIn();
    x.network.requests.length = 0;
    await x.twitter.revoke!(x.login, never);
    const forms = await Promise.all(x.network.requests.map((request) => request.text()));
    const { access_token = '', refresh_token = '' } = x.login.credentials;
    expect(forms).toEqual([refresh_token, access_token].map((token) => `token=${token}`));
    expect((await refusal(x.commit(x.target()))).kind).toBe('reauthorize');
    const { credentials } = newer;
    expect(await x.commit(x.target({ credentials }))).toMatchObject({ outcome: 'published' });
  });
});

test('tokens of another app are imported for the account that X names', async () => {
  await using x = await startTwitter();
  const { access_token, refresh_token } = x.grant.credentials;
  const tokens = { refreshToken: null, expiresAt: null, scope: null, instance: null };
  const own = { ...tokens, accessToken: access_token! };
  const imported = await x.twitter.importTokens!(own, never);
  expect(imported).toEqual({
    ...x.grant,
    credentials: { access_token },
    // X doesn't say what the token allows.
    scope: [],
    tokenExpiresAt: null,
  });
  expect(x.twitter.canRefresh!(imported.credentials)).toBe(false);
  const both = await x.twitter.importTokens!({ ...own, refreshToken: refresh_token! }, never);
  expect(x.twitter.canRefresh!(both.credentials)).toBe(true);
  const wrong = x.twitter.importTokens!({ ...own, accessToken: 'wrong' }, never);
  expect((await refusal(wrong)).kind).toBe('reauthorize');
  const elsewhere = x.twitter.importTokens!({ ...own, instance: 'x.example' }, never);
  expect(await refusal(elsewhere)).toMatchObject({
    kind: 'rejected',
    options: { field: 'server', platformCode: 'instance_not_supported' },
  });
});
