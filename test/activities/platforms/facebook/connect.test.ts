// Logging in at Facebook: what the consent asks for, the pages that a login reaches, and the end of their tokens.
import { describe, expect, test } from 'vitest';
import type { GrantedAccount } from '../../../../activities/platforms/platform.ts';
import { readGrant } from '../../../../activities/platforms/platform-answer.ts';
import { facebook as definition } from '../../../../schema/platforms/facebook.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { toConnection } from '../../../support/networks/connection.ts';
import { startFacebook } from '../../../support/networks/facebook/connected.ts';
import type { EndCode, SimulatedPage } from '../../../support/networks/facebook/logins.ts';
import { describeConsent } from '../../../support/networks/meta/login-cases.ts';
import { dayMs } from '../../../support/networks/meta/logins.ts';
import { targetOf } from '../../../support/networks/target.ts';

const never = new AbortController().signal;
const allScopes = [
  'pages_show_list',
  'pages_read_engagement',
  'pages_manage_posts',
  'pages_manage_engagement',
  'business_management',
];
const tasks = ['ANALYZE', 'CREATE_CONTENT'];
const bakery: SimulatedPage = { id: '101', name: 'Bakery', tasks };
const garden: SimulatedPage = { id: '102', name: 'Garden', tasks };

const problemsOf = (accounts: readonly GrantedAccount[]) =>
  accounts.map(({ accountName, problem }) => [accountName, problem]);

describeConsent(startFacebook, 'This authorization code has been used.');

describe('a consent', () => {
  test('asks for the scopes, and asks again for scopes that the user has declined', async () => {
    await using network = await startFacebook();
    const { url } = await network.allow();
    expect(new URL(url).pathname).toBe('/v25.0/dialog/oauth');
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: network.app.clientId,
      redirect_uri: network.request.callbackUrl,
      scope: allScopes.join(' '),
      state: network.request.state,
      auth_type: 'rerequest',
    });
  });

  test('can use a configuration of Facebook Login for Business instead of scopes', async () => {
    await using network = await startFacebook({ configId: '77' });
    const { searchParams } = new URL((await network.allow()).url);
    expect(searchParams.get('config_id')).toBe('77');
    expect(searchParams.has('scope')).toBe(false);
    expect((await network.logIn()).accounts[0]!.problem).toBeNull();
  });

  test("uses the configuration of a project's own app, and never the operator's configuration with that app", async () => {
    await using network = await startFacebook({ configId: '77' });
    const ask = async (settings: Record<string, string>) => {
      const app = { ...network.app, settings };
      const { url } = await network.method.begin({ ...network.request, app }, never);
      const { searchParams } = new URL(url);
      return [searchParams.get('config_id'), searchParams.get('scope')];
    };
    expect(await ask({ config_id: '88' })).toEqual(['88', null]);
    expect(await ask({})).toEqual([null, allScopes.join(' ')]);
  });

  test('gets a long-lived token before it reads the tokens of the pages, which then never expire', async () => {
    await using network = await startFacebook({ pages: [bakery] });
    const { accounts, scope, credentials, tokenExpiresAt } = await network.logIn();
    expect(network.server.calls.slice(-7)).toEqual([
      'POST /v25.0/oauth/access_token',
      'POST /v25.0/oauth/access_token',
      'GET /v25.0/me/permissions',
      'GET /v25.0/me',
      'GET /v25.0/me/accounts',
      'GET /v25.0/me/businesses',
      'GET /v25.0/debug_token',
    ]);
    expect(accounts).toEqual([
      {
        externalAccountId: '101',
        accountName: 'Bakery',
        kind: 'Page',
        traits: { user_id: network.server.logins.user.id },
        problem: null,
      },
    ]);
    expect(scope).toEqual(allScopes);
    expect(credentials).toEqual({ page_token_101: expect.stringMatching(/^EAABpage/) as string });
    // The access to data ends.
    const days = (tokenExpiresAt!.getTime() - Date.now()) / dayMs;
    expect(days).toBeGreaterThan(89);
    expect(days).toBeLessThan(91);
  });

  test('sends no secret in an address', async () => {
    const urls: string[] = [];
    const send = (url: string, init?: RequestInit) => {
      urls.push(url);
      return fetch(url, init);
    };
    await using network = await startFacebook({ send });
    const { secret } = network.server.logins.client;
    expect(urls.length).toBeGreaterThan(0);
    expect(urls.filter((url) => url.includes(secret))).toEqual([]);
  });

  test('never expires if Facebook says so', async () => {
    await using network = await startFacebook();
    network.server.logins.dataAccessDays = 0;
    expect((await network.logIn()).tokenExpiresAt).toBeNull();
  });

  test('is refused with the name of the permission that it lacks', async () => {
    await using network = await startFacebook();
    network.server.logins.withheldScopes.add('pages_manage_posts');
    const error = await refusal(network.logIn());
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'scope_missing' } });
    expect(error.message).toContain('pages_manage_posts');
  });

  test('connects the pages even if it lacks the permission for comments', async () => {
    await using network = await startFacebook();
    network.server.logins.withheldScopes.add('pages_manage_engagement');
    const grant = await network.logIn();
    expect(readGrant(grant, definition.scopes).accounts[0]!.problem).toBeNull();
    expect(grant.scope).not.toContain('pages_manage_engagement');
  });

  test.each<[Record<string, string>]>([
    [{ error_code: '1349126', error_message: 'App not active' }],
    [{ error_code: '1349126' }],
    [{ error_message: 'App Not Set Up: This app is still in development mode.' }],
  ])('says that the app is in development mode: %j', async (query) => {
    await using network = await startFacebook();
    const { flow } = await network.allow();
    const given = { ...query, state: network.request.state };
    const completed = network.method.complete(given, { ...network.request, flow }, never);
    expect(await refusal(completed)).toMatchObject({
      kind: 'rejected',
      message:
        'The app that Acme uses at Facebook is in development mode, in which only people with a role in the app can log in. Ask Acme for an invitation and accept it, or ask Acme to publish the app. Then try again.',
      options: { platformCode: 'app_not_approved' },
    });
  });

  test.each<[Record<string, string>, string]>([
    [{ error_code: '4201', error_message: 'User canceled the Dialog flow' }, 'User canceled'],
    [{ error_code: '4201' }, 'Error 4201'],
  ])('repeats any other error of the dialog: %j', async (query, words) => {
    await using network = await startFacebook();
    const { flow } = await network.allow();
    const given = { ...query, state: network.request.state };
    const completed = network.method.complete(given, { ...network.request, flow }, never);
    expect((await refusal(completed)).message).toContain(`Facebook refused the login: ${words}`);
  });

  test('is refused if an answer with status 200 has an error', async () => {
    await using network = await startFacebook();
    const { query, flow } = await network.allow();
    network.server.hasErrorsIn200 = true;
    const app = { ...network.app, clientSecret: 'wrong' };
    const completed = network.method.complete(query, { ...network.request, app, flow }, never);
    expect((await refusal(completed)).message).toContain('Error validating client secret.');
  });
});

describe('the pages of a login', () => {
  test("are the user's own and those of the user's businesses, each once", async () => {
    const pages: SimulatedPage[] = [
      bakery,
      { ...garden, business: '9001' },
      { id: '103', name: 'Client', tasks, business: '9001', isClient: true },
      { ...bakery, business: '9001' },
    ];
    await using network = await startFacebook({ pages });
    network.server.logins.businesses.push({ id: '9001', name: 'Acme' });
    const { accounts, credentials } = await network.logIn();
    expect(problemsOf(accounts)).toEqual([
      ['Bakery', null],
      ['Garden', null],
      ['Client', null],
    ]);
    expect(Object.keys(credentials)).toEqual([
      'page_token_101',
      'page_token_102',
      'page_token_103',
    ]);
  });

  test('are listed without the pages of businesses if the user declines access to businesses', async () => {
    const pages = [bakery, { ...garden, business: '9001' }];
    await using network = await startFacebook({ pages });
    network.server.logins.businesses.push({ id: '9001', name: 'Acme' });
    network.server.logins.withheldScopes.add('business_management');
    expect(problemsOf((await network.logIn()).accounts)).toEqual([['Bakery', null]]);
  });

  test("that can't be posted to have a reason, and no token", async () => {
    const pages: SimulatedPage[] = [
      bakery,
      { ...garden, tasks: ['ANALYZE', 'MODERATE'] },
      { id: '103', name: 'Archive', tasks, isWithoutToken: true },
      { id: '104', name: 'New', tasks: ['PROFILE_PLUS_CREATE_CONTENT'] },
      { id: '105', name: 'Silent', tasks: undefined },
    ];
    await using network = await startFacebook({ pages });
    const { accounts, credentials } = await network.logIn();
    const words = (name: string) =>
      `Your role at the page ${name} lacks the task 'Create content'. Ask an administrator of the page for it.`;
    expect(problemsOf(accounts)).toEqual([
      ['Bakery', null],
      ['Garden', words('Garden')],
      ['Archive', words('Archive')],
      ['New', null],
      ['Silent', null],
    ]);
    expect(Object.keys(credentials)).toEqual([
      'page_token_101',
      'page_token_104',
      'page_token_105',
    ]);
  });

  test('name the business that has to assign the user', async () => {
    const pages: SimulatedPage[] = [
      { ...bakery, isWithoutToken: true },
      { ...garden, business: '9001', isWithoutToken: true },
      { ...bakery, business: '9001', isWithoutToken: true },
      { id: '103', name: 'Client', tasks: ['ANALYZE'], business: '9002', isClient: true },
    ];
    await using network = await startFacebook({ pages });
    network.server.logins.businesses.push({ id: '9001', name: 'Brass' }, { id: '9002', name: '' });
    const { accounts } = await network.logIn();
    const words = (name: string, owner: string) =>
      `The page ${name} belongs to ${owner}, where you lack the task 'Create content'. Ask an administrator of the business to assign you the page with this task.`;
    expect(problemsOf(accounts)).toEqual([
      ['Bakery', words('Bakery', 'the business Brass')],
      ['Garden', words('Garden', 'the business Brass')],
      ['Client', words('Client', 'a business')],
    ]);
  });

  test('get a reason if the user allowed no posts to them, and the login gets a notice', async () => {
    await using network = await startFacebook({ pages: [bakery, garden] });
    network.server.logins.postablePages = ['102'];
    const { accounts, credentials, notice } = await network.logIn();
    expect(problemsOf(accounts)).toEqual([
      [
        'Bakery',
        "You did not allow posts to this page. Log in again, choose 'Edit settings', and select it for every permission.",
      ],
      ['Garden', null],
    ]);
    expect(Object.keys(credentials)).toEqual(['page_token_102']);
    expect(notice).toBe(
      "You allowed posts to 1 of 2 pages. To add the others, log in again, choose 'Edit settings', and select every page.",
    );
  });

  test('need no notice if the user allows posts to all of them', async () => {
    await using network = await startFacebook({ pages: [bakery, garden] });
    network.server.logins.postablePages = ['101', '102'];
    expect(await network.logIn()).not.toHaveProperty('notice');
  });

  test('are missing if the user shares no page, and the error says what to do', async () => {
    await using network = await startFacebook({ pages: [] });
    expect(await refusal(network.logIn())).toMatchObject({
      kind: 'rejected',
      message:
        "Facebook shared no page with Acme. Open the link again, choose 'Edit settings', and select every page.",
      options: { platformCode: 'no_page' },
    });
  });

  test('are missing if the user allows no access to businesses, and the error says so', async () => {
    await using network = await startFacebook({ pages: [] });
    network.server.logins.withheldScopes.add('business_management');
    expect((await refusal(network.logIn())).message).toContain(
      'If the page belongs to a business, allow access to the business too.',
    );
  });

  test('are read from many lists', async () => {
    const pages = Array.from({ length: 60 }, (_, i) => ({
      id: String(1_000 + i),
      name: `Page ${i}`,
      tasks,
    }));
    await using network = await startFacebook({ pages });
    network.server.logins.listSize = 1;
    const grant = await network.logIn();
    expect(grant.accounts).toHaveLength(60);
    expect(readGrant(grant, definition.scopes).accounts).toHaveLength(60);
  });

  test('are refused if there are more than 100', async () => {
    const pages = Array.from({ length: 130 }, (_, i) => ({
      id: String(1_000 + i),
      name: `Page ${i}`,
      tasks,
    }));
    await using network = await startFacebook({ pages });
    const grant = await network.logIn();
    expect(() => readGrant(grant, definition.scopes)).toThrow('more than 100 accounts');
  });

  test('have a name even if Facebook gives no name', async () => {
    await using network = await startFacebook({ pages: [{ ...bakery, name: ' ' }] });
    expect((await network.logIn()).accounts[0]!.accountName).toBe('Page 101');
  });
});

describe('the daily check', () => {
  test('passes while a token works', async () => {
    await using network = await startFacebook({ pages: [bakery, garden] });
    const grant = await network.logIn();
    network.server.calls.length = 0;
    await network.check(grant);
    expect(network.server.calls).toEqual(['GET /v25.0/debug_token']);
  });

  test.each<[EndCode, string]>([
    [458, 'The user has removed the app.'],
    [460, 'The password was changed'],
    [467, 'The login has ended.'],
  ])('ends a login with its reason: %i', async (subcode, words) => {
    await using network = await startFacebook({ pages: [bakery, garden] });
    const grant = await network.logIn();
    network.server.logins.endAll(subcode);
    network.server.calls.length = 0;
    const error = await refusal(network.check(grant));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { isRevoked: true, platformCode: `190/${subcode}` },
    });
    expect(error.message).toContain(words);
    expect(network.server.calls).toEqual(['GET /v25.0/debug_token']);
  });

  test.each<EndCode>([459, 463, 464])('ends a login that may come back: %i', async (subcode) => {
    await using network = await startFacebook({ pages: [bakery] });
    const grant = await network.logIn();
    network.server.logins.endAll(subcode);
    const error = await refusal(network.check(grant));
    expect(error).toMatchObject({ kind: 'reauthorize', options: { isRevoked: false } });
  });

  test('does not end a login that has lost only one of its pages', async () => {
    await using network = await startFacebook({ pages: [bakery, garden] });
    const grant = await network.logIn();
    network.server.logins.endAll(492, '101');
    await network.check(grant);
    network.server.logins.endAll(492, '102');
    expect(await refusal(network.check(grant))).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: '190/492' },
    });
  });

  test('ends no login if Facebook refuses the app, or if the app is unknown', async () => {
    await using network = await startFacebook({ pages: [bakery] });
    const { credentials } = await network.logIn();
    const app = { ...network.app, clientSecret: 'old' };
    const error = await refusal(network.facebook.check!({ credentials, app }, never));
    expect(error).toMatchObject({ kind: 'unavailable' });
    const [token] = Object.values(credentials);
    expect(JSON.stringify([error.message, error.options])).not.toContain(token);
    await network.facebook.check!({ credentials, app: null }, never);
  });

  test('ends no login if Facebook does not describe the token', async () => {
    await using network = await startFacebook({ pages: [bakery] });
    const grant = await network.logIn();
    const message = '(#100) The App_id in the input_token did not match the Viewing App';
    for (const data of [{}, { is_valid: false, error: { code: 100, message } }]) {
      network.server.answers.push(Response.json({ data }));
      expect(await refusal(network.check(grant))).toMatchObject({ kind: 'unavailable' });
    }
  });

  test("redacts a token that Facebook's message contains", async () => {
    await using network = await startFacebook({ pages: [bakery] });
    const grant = await network.logIn();
    const [token] = Object.values(grant.credentials);
    const error = { code: 190, message: `Malformed access token ${token}` };
    network.server.answers.push(Response.json({ data: { is_valid: false, error } }));
    const { kind, message } = await refusal(network.check(grant));
    expect(kind).toBe('reauthorize');
    expect(message).toContain('Malformed access token [redacted]');
  });
});

describe('a check of an account', () => {
  async function inspect(...answers: Response[]) {
    await using network = await startFacebook({ pages: [bakery] });
    const connection = toConnection(await network.logIn());
    network.server.answers.push(...answers);
    const target = { ...targetOf(connection), app: network.app, scope: allScopes };
    return await network.facebook.checks!.inspect(target, never);
  }
  const page = () => Response.json({ id: '101', name: 'Bakery', category: 'Bakery' });
  const ended = (code: number, message: string) =>
    Response.json({ data: { is_valid: false, error: { code, message } } });

  test('accepts a token of another app if Facebook accepts it', async () => {
    const message = '(#100) The App_id in the input_token did not match the Viewing App';
    expect(await inspect(page(), ended(100, message))).toEqual({
      scope: allScopes,
      accounts: [{ externalAccountId: '101', problem: null }],
    });
  });

  test('says that the token has ended', async () => {
    const error = await refusal(inspect(page(), ended(190, 'The session was invalidated.')));
    expect(error).toMatchObject({ kind: 'reauthorize', options: { isRevoked: true } });
  });
});

describe('an imported token', () => {
  const tokens = { refreshToken: null, expiresAt: null, scope: null, instance: null };

  test('connects its page if it is the token of a page', async () => {
    await using network = await startFacebook({ pages: [bakery, garden] });
    const accessToken = network.server.logins.createToken('102');
    const grant = await network.facebook.importTokens!({ ...tokens, accessToken }, never);
    expect(grant).toMatchObject({
      credentials: { page_token_102: accessToken },
      accounts: [{ externalAccountId: '102', accountName: 'Garden', problem: null }],
    });
  });

  test("connects the user's pages if it is the token of a user", async () => {
    await using network = await startFacebook({ pages: [bakery, garden] });
    const accessToken = network.server.logins.createToken();
    const grant = await network.facebook.importTokens!({ ...tokens, accessToken }, never);
    expect(problemsOf(grant.accounts)).toEqual([
      ['Bakery', null],
      ['Garden', null],
    ]);
    expect(Object.keys(grant.credentials)).toEqual(['page_token_101', 'page_token_102']);
  });

  test('is refused if its user has no page', async () => {
    await using network = await startFacebook({ pages: [] });
    const accessToken = network.server.logins.createToken();
    const imported = network.facebook.importTokens!({ ...tokens, accessToken }, never);
    expect((await refusal(imported)).message).toBe(
      "Facebook shared no page with the app. Log in again, choose 'Edit settings', and select every page.",
    );
  });

  test('is refused if it is wrong', async () => {
    await using network = await startFacebook();
    const wrong = network.facebook.importTokens!({ ...tokens, accessToken: 'no' }, never);
    expect((await refusal(wrong)).kind).toBe('reauthorize');
  });
});
