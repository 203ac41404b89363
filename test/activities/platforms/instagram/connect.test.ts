// Logging in at Instagram: what the consent asks for, the tokens of a login, and their end.
import { describe, expect, test } from 'vitest';
import { instagramScopes } from '../../../support/networks/instagram/logins.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startInstagram } from '../../../support/networks/instagram/connected.ts';
import { describeLongLivedTokens } from '../../../support/networks/meta/login-cases.ts';
import { dayMs } from '../../../support/networks/meta/logins.ts';

const never = new AbortController().signal;

describe('a consent', () => {
  test('asks for the scopes, without a challenge', async () => {
    await using network = await startInstagram();
    const { url } = await network.allow();
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: network.app.clientId,
      redirect_uri: network.request.callbackUrl,
      scope: instagramScopes.join(' '),
      state: network.request.state,
    });
  });

  test.each(['plain', 'wrapped'] as const)('gives a long-lived token: %s', async (form) => {
    await using network = await startInstagram();
    const { server } = network;
    server.logins.answers = form;
    const { accounts, scope, credentials, tokenExpiresAt } = await network.logIn();
    expect(server.calls.slice(-3)).toEqual([
      'POST /api.instagram.com/oauth/access_token',
      'GET /graph.instagram.com/access_token',
      'GET /graph.instagram.com/v25.0/me',
    ]);
    // Longer than JSON's numbers are exact, and not the ID that this app alone has.
    const externalAccountId = '17841405793187218';
    const traits = { user_id: server.scopedId };
    expect(accounts).toEqual([{ externalAccountId, accountName: '@ada', traits, problem: null }]);
    expect(scope).toEqual(instagramScopes);
    expect(credentials['access_token']).toMatch(/^long-/);
    const days = (tokenExpiresAt!.getTime() - Date.now()) / dayMs;
    expect(days).toBeGreaterThan(59);
    expect(days).toBeLessThan(61);
  });

  test('says what to do if the account is personal', async () => {
    await using network = await startInstagram();
    network.server.accountType = 'PERSONAL';
    const { accounts } = await network.logIn();
    expect(accounts[0]!.problem).toBe(
      "A personal account can't publish through other apps. In the Instagram app, switch it to a professional account. Then connect it again.",
    );
  });

  test.each(['Business', 'MEDIA_CREATOR', 'Media_Creator'])(
    'connects an account of type %s that can publish',
    async (type) => {
      await using network = await startInstagram();
      network.server.accountType = type;
      expect((await network.logIn()).accounts[0]!.problem).toBeNull();
    },
  );

  test('names the permission that it lacks', async () => {
    await using network = await startInstagram();
    network.server.logins.withheldScopes.add('instagram_business_content_publish');
    expect((await network.logIn()).accounts[0]).toMatchObject({
      problem: 'The login lacks instagram_business_content_publish. Log in again, and allow it.',
      lacksScope: true,
    });
  });

  test('accepts a code with the mark that Instagram appends to it', async () => {
    await using network = await startInstagram();
    const { query, flow } = await network.allow();
    const marked = { ...query, code: `${query['code']}#_` };
    const request = { ...network.request, flow };
    const grant = await network.method.complete(marked, request, never);
    expect(grant.accounts).toHaveLength(1);
  });

  test('is refused if the token endpoint answers with an error and status 200', async () => {
    await using network = await startInstagram();
    const { query, flow } = await network.allow();
    const error = { message: 'No.', type: 'OAuthException', code: 1 };
    network.server.answers.push(Response.json({ error }));
    const request = { ...network.request, flow };
    const refused = await refusal(network.method.complete(query, request, never));
    expect(refused).toMatchObject({ kind: 'rejected' });
    expect(refused.message).toContain('No.');
  });
});

describeLongLivedTokens({
  start: startInstagram,
  platformOf: ({ instagram }) => instagram,
  tellsAge: false,
});

test('only logins at Instagram are refreshed', async () => {
  await using network = await startInstagram();
  const atFacebook = await network.atFacebook.logIn();
  expect(network.instagram.canRefresh!(network.grant.credentials)).toBe(true);
  expect(network.instagram.canRefresh!(atFacebook.credentials)).toBe(false);
});

describe('an imported token', () => {
  const tokensOf = (accessToken: string) => ({
    accessToken,
    refreshToken: null,
    expiresAt: null,
    scope: null,
    instance: null,
  });

  test('reaches the account of its login at Instagram', async () => {
    await using network = await startInstagram();
    const accessToken = network.server.logins.createToken();
    const { accounts } = await network.instagram.importTokens!(tokensOf(accessToken), never);
    expect(accounts).toMatchObject([{ accountName: '@ada', problem: null }]);
  });

  test('reaches the accounts of its login at Facebook', async () => {
    await using network = await startInstagram();
    const accessToken = network.server.facebook.logins.createToken();
    const grant = await network.instagram.importTokens!(tokensOf(accessToken), never);
    expect(grant.accounts).toMatchObject([{ accountName: '@ada', problem: null }]);
    const { credentials } = grant;
    expect(Object.keys(credentials)).toEqual(['page_token_17841405793187218']);
    expect(await network.publish(network.target({ credentials }))).toMatchObject({
      outcome: 'published',
    });
  });

  test('is refused if neither Instagram nor Facebook knows it', async () => {
    await using network = await startInstagram();
    const wrong = network.instagram.importTokens!(tokensOf('no'), never);
    expect((await refusal(wrong)).kind).toBe('reauthorize');
  });
});
