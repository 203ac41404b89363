// Logging in at Facebook: the accounts of the pages that the user shares, and why an account can't publish.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startInstagram } from '../../../support/networks/instagram/connected.ts';
import { pageOf } from '../../../support/networks/instagram/facebook-side.ts';

type Network = Awaited<ReturnType<typeof startInstagram>>;

const scope =
  'instagram_basic instagram_content_publish instagram_manage_comments pages_show_list pages_read_engagement business_management';

/** The login with these pages instead of the one with a linked account. */
function logInWith({ server, atFacebook }: Network, ...pages: ReturnType<typeof pageOf>[]) {
  server.facebook.logins.pages.splice(0, Infinity, ...pages);
  return atFacebook.logIn();
}

const unlinked = { instagram_business_account: undefined };

describe('the dialog', () => {
  test('asks for the scopes, including those that the user has declined', async () => {
    await using network = await startInstagram();
    const { url } = await network.atFacebook.allow();
    expect(new URL(url).pathname).toBe('/www.facebook.com/v25.0/dialog/oauth');
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: network.atFacebook.app.clientId,
      redirect_uri: network.atFacebook.request.callbackUrl,
      scope,
      state: network.request.state,
      auth_type: 'rerequest',
    });
  });

  test('asks for no scopes if the app has a configuration', async () => {
    await using network = await startInstagram({ FANFARE_INSTAGRAM_FACEBOOK_CONFIG_ID: '1234' });
    const { url } = await network.atFacebook.allow();
    const { searchParams } = new URL(url);
    expect(searchParams.get('config_id')).toBe('1234');
    expect(searchParams.has('scope')).toBe(false);
    expect((await network.atFacebook.logIn()).accounts).toHaveLength(1);
  });

  test('ends with a denial if the user refuses', async () => {
    await using network = await startInstagram();
    const { query } = await network.atFacebook.allow('deny');
    expect(query).toMatchObject({ error: 'access_denied', state: network.request.state });
  });
});

describe('a login', () => {
  test('has the long-lived token of each page', async () => {
    await using network = await startInstagram();
    const grant = await network.atFacebook.logIn();
    expect(network.server.calls.slice(-6)).toEqual([
      'POST /graph.facebook.com/v25.0/oauth/access_token',
      'POST /graph.facebook.com/v25.0/oauth/access_token',
      'GET /graph.facebook.com/v25.0/me/permissions',
      'GET /graph.facebook.com/v25.0/me',
      'GET /graph.facebook.com/v25.0/me/accounts',
      'GET /graph.facebook.com/v25.0/me/businesses',
    ]);
    const { id } = network.server.user;
    expect(grant).toEqual({
      credentials: { [`page_token_${id}`]: expect.any(String) as string },
      scope: scope.split(' '),
      tokenExpiresAt: null,
      accounts: [
        {
          externalAccountId: id,
          accountName: '@ada',
          kind: 'Linked to the page Brass Bakery',
          traits: { user_id: network.server.facebook.logins.user.id },
          problem: null,
        },
      ],
    });
  });

  test('publishes at the API of Facebook', async () => {
    await using network = await startInstagram();
    const { credentials } = await network.atFacebook.logIn();
    network.server.calls.length = 0;
    await network.publish(network.target({ credentials }));
    const hosts = network.server.calls.map((call) => call.split('/')[1]);
    expect(new Set(hosts)).toEqual(new Set(['graph.facebook.com']));
    expect(network.server.posts).toHaveLength(1);
  });

  test('counts as revoked if it has no token for the account', async () => {
    await using network = await startInstagram();
    const { credentials } = await network.atFacebook.logIn();
    const target = network.target({ credentials, externalAccountId: '17841400000000001' });
    expect(await refusal(network.prepareStep(target))).toMatchObject({
      kind: 'reauthorize',
      options: { isRevoked: true },
    });
  });

  test('finds pages of businesses, and each account once', async () => {
    await using network = await startInstagram();
    const { logins } = network.server.facebook;
    logins.businesses.push({ id: '77', name: 'Fanfare' });
    const other = { id: '17841400000000001', username: 'grace' };
    const { accounts } = await logInWith(
      network,
      pageOf(network.server.user.id),
      pageOf('0', {
        id: '2',
        name: 'Client',
        business: '77',
        isClient: true,
        more: { instagram_business_account: other },
      }),
      pageOf(network.server.user.id, { id: '3', name: 'Again', business: '77' }),
    );
    expect(accounts.map(({ accountName, kind }) => [accountName, kind])).toEqual([
      ['@ada', 'Linked to the page Brass Bakery'],
      ['@grace', 'Linked to the page Client'],
    ]);
  });

  test('reads lists of many pages', async () => {
    await using network = await startInstagram();
    const { logins } = network.server.facebook;
    logins.listSize = 2;
    const pages = Array.from({ length: 5 }, (_, i) =>
      pageOf('0', {
        id: String(i + 1),
        more: { instagram_business_account: { id: `1784140000000000${i}` } },
      }),
    );
    expect((await logInWith(network, ...pages)).accounts).toHaveLength(5);
  });

  test('is refused with the name of the permission that it lacks', async () => {
    await using network = await startInstagram();
    network.server.facebook.logins.withheldScopes.add('instagram_content_publish');
    const error = await refusal(network.atFacebook.logIn());
    expect(error.message).toBe(
      'This login lacks these permissions: instagram_content_publish. Log in again and allow them.',
    );
  });
});

describe('an account that cannot publish', () => {
  test.each([
    ['has no role that creates content', { tasks: ['ANALYZE'] }],
    ['has no role at all', { isWithoutToken: true }],
  ])('says why if the user %s', async (_, change) => {
    await using network = await startInstagram();
    const { accounts } = await logInWith(network, pageOf(network.server.user.id, change));
    expect(accounts[0]!.problem).toBe(
      "Your role at the page Brass Bakery lacks the task 'Create content'. Ask an administrator of the page for it.",
    );
  });

  test.each(['CREATE_CONTENT', 'PROFILE_PLUS_CREATE_CONTENT', 'PROFILE_PLUS_FULL_CONTROL'])(
    'has no problem if the user has the task %s',
    async (task) => {
      await using network = await startInstagram();
      const page = pageOf(network.server.user.id, { tasks: [task] });
      expect((await logInWith(network, page)).accounts[0]!.problem).toBeNull();
    },
  );

  test('says why if the user shared no page', async () => {
    await using network = await startInstagram();
    expect(await refusal(logInWith(network))).toMatchObject({
      kind: 'rejected',
      message:
        "Facebook shared no page with Acme. Open the link again, choose 'Edit settings', and select every page.",
      options: { platformCode: 'no_page' },
    });
  });

  test('says why if its page belongs to a business', async () => {
    await using network = await startInstagram();
    network.server.facebook.logins.withheldScopes.add('business_management');
    const { message } = await refusal(logInWith(network));
    expect(message).toContain('allow access to the business too.');
  });

  test('says why if it is linked to no shared page', async () => {
    await using network = await startInstagram();
    const pages = ['One', 'Two'].map((name, i) =>
      pageOf('0', { id: String(i + 1), name, more: unlinked }),
    );
    expect(await refusal(logInWith(network, ...pages))).toMatchObject({
      message:
        'No Instagram account is linked to the pages that you shared: One, Two. Link one in the settings of the page, or log in again and choose the page that it is linked to.',
      options: { platformCode: 'not_linked' },
    });
  });

  test('says why if it is personal', async () => {
    await using network = await startInstagram();
    const page = pageOf('0', {
      more: { ...unlinked, connected_instagram_account: { id: '17', username: 'ada' } },
    });
    expect(await refusal(logInWith(network, page))).toMatchObject({
      message:
        "@ada is linked to the page Brass Bakery as a personal account, which can't publish through other apps. In the Instagram app, switch it to a professional account. Then log in again.",
      options: { platformCode: 'personal_account' },
    });
  });
});

describe('a daily check', () => {
  const never = new AbortController().signal;

  test('passes while the token of a page works', async () => {
    await using network = await startInstagram();
    const other = { instagram_business_account: { id: '17841400000000001' } };
    const pages = [pageOf('0', { id: '1', more: other }), pageOf(network.server.user.id)];
    const { credentials } = await logInWith(network, ...pages);
    network.server.facebook.logins.endAll(492, '1');
    network.server.calls.length = 0;
    await network.instagram.check!({ credentials, app: null }, never);
    expect(network.server.calls).toHaveLength(2);
  });

  test.each([
    [458, 'The user has removed the app.'],
    [460, 'The password was changed'],
    [459, 'must first log in at Facebook'],
  ] as const)('says why the login has ended: %i', async (subcode, words) => {
    await using network = await startInstagram();
    const { credentials } = await network.atFacebook.logIn();
    network.server.facebook.logins.endAll(subcode);
    const error = await refusal(network.instagram.check!({ credentials, app: null }, never));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: `190/${subcode}` },
    });
    expect(error.message).toContain(words);
  });

  test('makes no call for a login at Instagram', async () => {
    await using network = await startInstagram();
    const { credentials } = network.grant;
    await network.instagram.check!({ credentials, app: network.app }, never);
    expect(network.server.calls).toEqual([]);
  });
});
