// The simulated network with OAuth 2 is as strict as the RFCs ask, and its connector speaks to it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  ConsentRequest,
  ConsentMethod,
  Credentials,
  Flow,
  Grant,
  Platform,
  Target,
} from '../../../../activities/platforms/platform.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import { startFaultyServer, type FaultyServer } from '../../../support/networks/faulty-server.ts';
import { createOAuthPlatform } from '../../../support/networks/oauth/connector.ts';
import { createOAuthServer, type OAuthServer } from '../../../support/networks/oauth/server.ts';
import { loginOf } from '../../../support/rows/grants.ts';

const callbackUrl = 'https://fanfare.test/connect/callback';
const request: ConsentRequest = {
  state: 'state-of-8',
  callbackUrl,
  productName: 'Acme',
  inputs: {},
  app: null,
};
const never = new AbortController().signal;

let server: OAuthServer;
let http: FaultyServer;
let platform: Platform;
let method: ConsentMethod;

beforeEach(async () => {
  server = createOAuthServer(callbackUrl);
  http = await startFaultyServer(server, createSwitchboard());
  platform = createOAuthPlatform({ fetch, url: http.url, client: server.client });
  method = platform.connect[0] as ConsentMethod;
});
afterEach(() => http.close());

const authorize = (query: URLSearchParams) =>
  fetch(`${http.url}/authorize`, { method: 'POST', body: query, redirect: 'manual' });

/** Returns the callback's query and the flow. */
async function allow(): Promise<{ query: Record<string, string>; flow: Flow }> {
  const { url, flow } = await method.begin(request, never);
  const { searchParams } = new URL(url);
  searchParams.set('decision', 'allow');
  const callback = new URL((await authorize(searchParams)).headers.get('location')!);
  return { query: Object.fromEntries(callback.searchParams), flow };
}

async function logIn(): Promise<Grant> {
  const { query, flow } = await allow();
  return method.complete(query, { ...request, flow }, never);
}

const refused = (message: string) => ({
  kind: 'rejected',
  message: expect.stringContaining(message),
});

describe('a login', () => {
  test('gives tokens with scopes and an expiry, and lists three accounts', async () => {
    const { credentials, scope, tokenExpiresAt, accounts } = await logIn();
    expect(Object.keys(credentials)).toEqual(['access_token', 'refresh_token']);
    expect(scope).toEqual(['accounts', 'publish']);
    expect(tokenExpiresAt!.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    expect(accounts.map(({ externalAccountId, problem }) => [externalAccountId, problem])).toEqual([
      ['page-1', null],
      ['page-2', null],
      ['page-3', 'You are not an editor of this page.'],
    ]);
  });

  test('needs the verifier that it began with', async () => {
    const [{ query }, { flow }] = [await allow(), await allow()];
    await expect(method.complete(query, { ...request, flow }, never)).rejects.toMatchObject(
      refused('The code_verifier does not match.'),
    );
  });

  test('needs the callback that it began with', async () => {
    const { query, flow } = await allow();
    const other = { ...request, callbackUrl: `${callbackUrl}/other`, flow };
    await expect(method.complete(query, other, never)).rejects.toMatchObject(
      refused('The redirect_uri is another one.'),
    );
  });

  test('uses a code once, and ends if the code is used again', async () => {
    const { query, flow } = await allow();
    await method.complete(query, { ...request, flow }, never);
    await expect(method.complete(query, { ...request, flow }, never)).rejects.toMatchObject(
      refused('The code was used before.'),
    );
    expect(server.countLiveGrants()).toBe(0);
  });

  test('needs the secret of the client', async () => {
    const { query, flow } = await allow();
    const app = { id: 'app_1', clientId: server.client.id, clientSecret: 'wrong' };
    await expect(method.complete(query, { ...request, app, flow }, never)).rejects.toMatchObject({
      ...refused('The client is unknown.'),
      options: { platformCode: 'invalid_client' },
    });
  });

  test.each([
    ['redirect_uri', 'https://evil.test/'],
    ['client_id', 'somebody'],
    ['code_challenge_method', 'plain'],
    ['state', ''],
  ])('is refused without a redirect if its %s was changed', async (name, value) => {
    const { searchParams } = new URL((await method.begin(request, never)).url);
    searchParams.set('decision', 'allow');
    searchParams.set(name, value);
    const answer = await authorize(searchParams);
    expect([answer.status >= 400, answer.headers.get('location')]).toEqual([true, null]);
  });
});

describe('a refresh', () => {
  test('rotates both tokens, and the old access token ends', async () => {
    const { credentials } = await logIn();
    const fresh = await platform.refresh!(loginOf(credentials), never);
    expect(fresh.credentials['refresh_token']).not.toBe(credentials['refresh_token']);
    await expect(platform.commit(targetOf(credentials), never)).rejects.toMatchObject({
      kind: 'reauthorize',
    });
    expect(await platform.commit(targetOf(fresh.credentials), never)).toMatchObject({
      outcome: 'published',
    });
  });

  test('ends the login if its token was used before', async () => {
    const { credentials } = await logIn();
    await platform.refresh!(loginOf(credentials), never);
    await expect(platform.refresh!(loginOf(credentials), never)).rejects.toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'invalid_grant' },
    });
    expect(server.countLiveGrants()).toBe(0);
  });
});

const targetOf = (credentials: Credentials, change: Partial<Target> = {}): Target => ({
  resultId: 'res_1',
  externalAccountId: 'page-2',
  caption: 'Hello',
  media: [],
  replyTo: null,
  platformOptions: {},
  dueAt: new Date(),
  credentials,
  traits: {},
  state: {},
  ...change,
});

describe('a post', () => {
  test('goes to its account, and is found there again', async () => {
    const target = targetOf((await logIn()).credentials);
    expect(await platform.reconcile!(target, never)).toEqual({ outcome: 'absent' });
    const committed = await platform.commit(target, never);
    expect(server.posts).toMatchObject([{ accountId: 'page-2', text: 'Hello' }]);
    expect(await platform.reconcile!(target, never)).toEqual(committed);
    const elsewhere = { ...target, externalAccountId: 'page-1' };
    expect(await platform.reconcile!(elsewhere, never)).toEqual({ outcome: 'absent' });
  });

  test('is refused for an account with a problem, and after the login has ended', async () => {
    const { credentials } = await logIn();
    const blocked = targetOf(credentials, { externalAccountId: 'page-3' });
    await expect(platform.commit(blocked, never)).rejects.toMatchObject({ kind: 'rejected' });
    await platform.revoke!(loginOf(credentials), never);
    await expect(platform.commit(targetOf(credentials), never)).rejects.toMatchObject({
      kind: 'reauthorize',
      options: { isRevoked: true },
    });
    expect(server.posts).toEqual([]);
  });
});
