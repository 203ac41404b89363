// Logging in at LinkedIn: what the consent asks for, the accounts that a login reaches, and its end.
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { startLinkedIn, pageUrn } from '../../../support/networks/linkedin/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { targetOf } from '../../../support/networks/target.ts';

const never = new AbortController().signal;
const memberUrn = 'urn:li:person:782bbtaQ';
const ada = {
  externalAccountId: memberUrn,
  accountName: 'Ada Lovelace',
  kind: 'Profile',
  problem: null,
};
const kind = 'Page';
const memberScopes = ['openid', 'profile', 'w_member_social'];

describe('a consent', () => {
  test('asks for the scopes without a PKCE challenge, because LinkedIn refuses a challenge with a client secret', async () => {
    await using network = await startLinkedIn();
    const { url } = await network.allow(memberScopes);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: network.app.clientId,
      redirect_uri: network.request.callbackUrl,
      scope: 'openid profile w_member_social',
      state: network.request.state,
    });
  });

  test('connects only the member if no scopes for pages are asked for', async () => {
    await using network = await startLinkedIn();
    network.server.calls.length = 0;
    const { accounts, scope, tokenExpiresAt, credentials } = await network.logIn(memberScopes);
    expect(accounts).toEqual([ada]);
    expect(scope).toEqual(memberScopes);
    const days = (tokenExpiresAt!.getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(59);
    expect(days).toBeLessThan(61);
    expect(Object.keys(credentials)).toEqual(['access_token']);
    expect(network.server.calls.slice(-2)).toEqual([
      'POST /oauth/v2/accessToken',
      'GET /v2/userinfo',
    ]);
  });

  test("reaches the pages, each with the reason why it can't be posted to", async () => {
    await using network = await startLinkedIn();
    network.server.organizations.push({
      id: '77',
      name: 'Garden',
      roles: ['ANALYST', 'CONTENT_ADMINISTRATOR'],
    });
    const { accounts } = await network.logIn();
    expect(accounts).toEqual([
      ada,
      { externalAccountId: pageUrn, accountName: 'Acme', kind, problem: null },
      {
        externalAccountId: 'urn:li:organization:2414183',
        accountName: 'Devtestco',
        kind,
        problem: "Your role at this page, ANALYST, can't post.",
      },
      { externalAccountId: 'urn:li:organization:77', accountName: 'Garden', kind, problem: null },
    ]);
  });

  test('reads more roles than LinkedIn lists at once', async () => {
    await using network = await startLinkedIn();
    network.server.organizations.length = 0;
    for (let id = 1; id <= 130; id++) {
      network.server.organizations.push({
        id: String(id),
        name: `Page ${id}`,
        roles: ['ADMINISTRATOR'],
      });
    }
    expect((await network.logIn()).accounts).toHaveLength(131);
  });

  test('skips an incomplete role, but counts it to decide whether there is another page', async () => {
    await using network = await startLinkedIn();
    const state = 'APPROVED';
    network.server.oddRoles.push(
      { role: 'ADMINISTRATOR', state },
      { organization: pageUrn, state },
    );
    for (let id = 1; id <= 100; id++) {
      const roles = ['ADMINISTRATOR'];
      network.server.organizations.push({ id: String(id), name: `Page ${id}`, roles });
    }
    expect((await network.logIn()).accounts).toHaveLength(103);
  });

  test('reads a page that is named in organizationTarget', async () => {
    await using network = await startLinkedIn();
    network.server.organizationMember = 'organizationTarget';
    const { accounts } = await network.logIn();
    expect(accounts.map(({ accountName }) => accountName)).toEqual([
      'Ada Lovelace',
      'Acme',
      'Devtestco',
    ]);
  });

  test('reads the profile if the app has no OpenID Connect', async () => {
    await using network = await startLinkedIn();
    network.server.logins.scopes.push('r_basicprofile');
    const { accounts } = await network.logIn(['r_basicprofile', 'w_member_social']);
    expect(accounts).toEqual([ada]);
  });

  test('names the scope that each account lacks if it allows no posts', async () => {
    await using network = await startLinkedIn();
    const { accounts } = await network.logIn(['openid', 'profile', 'r_organization_admin']);
    expect(accounts.map(({ lacksScope }) => lacksScope)).toEqual([true, true, true]);
    expect(accounts.map(({ accountName, problem }) => [accountName, problem])).toEqual([
      ['Ada Lovelace', 'The login lacks the scope w_member_social.'],
      ['Acme', 'The login lacks the scope w_organization_social.'],
      ['Devtestco', 'The login lacks the scope w_organization_social.'],
    ]);
  });

  test('says why LinkedIn refused it', async () => {
    await using network = await startLinkedIn();
    const { method, query, flow } = await network.allow(['w_compliance']);
    expect(
      await refusal(method.complete(query, { ...network.request, flow }, never)),
    ).toMatchObject({
      kind: 'rejected',
      message:
        'LinkedIn refused the login: Scope "w_compliance" is not authorized for your application',
    });
  });

  test('is a denial if the member refuses it', async () => {
    await using network = await startLinkedIn();
    const { method, query } = await network.allow(memberScopes, 'deny');
    expect(method.denials).toContain(query['error']);
  });

  test('needs the secret of the app, and uses a code once', async () => {
    await using network = await startLinkedIn();
    const { method, query, flow } = await network.allow(memberScopes);
    const wrong = { ...network.request, app: { ...network.app, clientSecret: 'wrong' }, flow };
    expect(await refusal(method.complete(query, wrong, never))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'invalid_client' },
    });
    await method.complete(query, { ...network.request, flow }, never);
    const again = await refusal(method.complete(query, { ...network.request, flow }, never));
    expect(again).toMatchObject({ kind: 'rejected', options: { platformCode: 'invalid_request' } });
    expect(JSON.stringify([again.message, again.options])).not.toContain(query['code']);
  });
});

describe('a token of the user', () => {
  test('connects the member, or the page', async () => {
    await using network = await startLinkedIn();
    const given = { scope: [], tokenExpiresAt: null };
    expect(await network.connect('')).toMatchObject({ ...given, externalAccountId: memberUrn });
    expect(await network.connect()).toMatchObject({
      ...given,
      externalAccountId: pageUrn,
      accountName: 'Acme',
    });
  });

  test('connects no page in which the user has no role', async () => {
    await using network = await startLinkedIn();
    expect(await refusal(network.connect('1'))).toMatchObject({
      kind: 'rejected',
      options: { field: 'organization', platformCode: 'no_role' },
    });
  });

  test('passes a check, whatever scopes this installation asks for', async () => {
    await using network = await startLinkedIn();
    const { checks } = network.connectorOf(memberScopes);
    const target = { ...network.target(), app: null, scope: null };
    const { accounts } = await checks!.inspect(target, never);
    expect(accounts).toMatchObject([{ externalAccountId: pageUrn, problem: null }]);
    network.server.organizations.length = 0;
    expect(await refusal(checks!.inspect(target, never))).toMatchObject({
      options: { platformCode: 'no_role' },
    });
  });
});

describe('a refresh', () => {
  const publish = (network: Awaited<ReturnType<typeof startLinkedIn>>, target: Target) =>
    network.linkedin.commit(target, never);

  test('gets a new access token, and keeps the refresh token', async () => {
    await using network = await startLinkedIn();
    network.server.logins.givesRefreshTokens = true;
    const { credentials, accounts, scope } = await network.logIn(memberScopes);
    network.server.expireToken();
    const connection = { ...accounts[0]!, credentials, scope, tokenExpiresAt: null };
    expect(await refusal(publish(network, targetOf(connection)))).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'EXPIRED_ACCESS_TOKEN' },
    });
    const fresh = await network.linkedin.refresh!({ credentials, app: network.app }, never);
    expect(fresh.credentials['refresh_token']).toBe(credentials['refresh_token']);
    expect(fresh.credentials['access_token']).not.toBe(credentials['access_token']);
    const renewed = { ...connection, credentials: fresh.credentials };
    expect(await publish(network, targetOf(renewed))).toMatchObject({ outcome: 'published' });
  });

  test('ends the login if LinkedIn refuses it', async () => {
    await using network = await startLinkedIn();
    network.server.logins.givesRefreshTokens = true;
    const { credentials } = await network.logIn(memberScopes);
    network.server.revokeToken();
    const login = { credentials, app: network.app };
    expect(await refusal(network.linkedin.refresh!(login, never))).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'invalid_grant' },
    });
  });

  test('ends the login without a call if there is no refresh token', async () => {
    await using network = await startLinkedIn();
    const { credentials } = await network.logIn(memberScopes);
    network.server.calls.length = 0;
    const login = { credentials, app: network.app };
    expect(await refusal(network.linkedin.refresh!(login, never))).toMatchObject({
      kind: 'reauthorize',
    });
    expect(network.server.calls).toEqual([]);
  });
});

test('an imported token reaches the accounts of its scopes', async () => {
  await using network = await startLinkedIn();
  const { credentials } = await network.logIn();
  const tokens = { refreshToken: null, expiresAt: null, instance: null };
  const own = { ...tokens, accessToken: credentials['access_token']! };
  const member = await network.linkedin.importTokens!({ ...own, scope: memberScopes }, never);
  expect(member.accounts).toEqual([ada]);
  const all = await network.linkedin.importTokens!({ ...own, scope: null }, never);
  expect([member.scope, all.scope]).toEqual([memberScopes, []]);
  expect(all.accounts.map(({ accountName }) => accountName)).toEqual([
    'Ada Lovelace',
    'Acme',
    'Devtestco',
  ]);
  const wrong = network.linkedin.importTokens!({ ...own, scope: null, accessToken: 'no' }, never);
  expect((await refusal(wrong)).kind).toBe('reauthorize');
});

test('an imported token of a member needs no scopes for pages, unless the import names such scopes', async () => {
  await using network = await startLinkedIn();
  const accessToken = network.server.logins.createToken(memberScopes);
  const tokens = { accessToken, refreshToken: null, expiresAt: null, instance: null };
  const { accounts } = await network.linkedin.importTokens!({ ...tokens, scope: null }, never);
  expect(accounts).toEqual([ada]);
  const scope = [...memberScopes, 'r_organization_admin'];
  const named = await refusal(network.linkedin.importTokens!({ ...tokens, scope }, never));
  expect(named.options.platformCode).toBe('ACCESS_DENIED');
});
