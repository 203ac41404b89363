// The simulated Mastodon server is as strict with apps, codes and tokens as its documents say.
import { describe, expect, test } from 'vitest';
import { createMastodon } from '../../../../activities/platforms/mastodon/index.ts';
import type { ConsentMethod, Flow } from '../../../../activities/platforms/platform.ts';
import type { App } from '../../../../schema/platforms/definition.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startMastodon } from '../../../support/networks/mastodon/connected.ts';
import type { MastodonTraits } from '../../../support/networks/mastodon/server.ts';
import { createClient, startHttp } from '../../../support/receivers/loopback.ts';

const never = new AbortController().signal;
const callbackUrl = 'https://fanfare.test/connect/callback';
const client = { productName: 'Acme', callbackUrl };

async function register(traits?: MastodonTraits) {
  const { network, credentials } = await startMastodon(traits);
  const { server } = credentials;
  const mastodon = createMastodon(createClient());
  const method = mastodon.connect[0] as ConsentMethod;
  const registration = method.registration!;
  const app: App = { id: 'app_1', ...(await registration.register(server, client, never)) };
  const request = { ...client, state: 'state', inputs: { server }, app };

  /** The address that the consent page sends the user to. */
  async function authorize(change: Record<string, string> = {}, decision = 'allow') {
    const { url, flow } = await method.begin(request, never);
    const query = { ...Object.fromEntries(new URL(url).searchParams), ...change, decision };
    const answer = await fetch(`${server}/oauth/authorize`, {
      method: 'POST',
      body: new URLSearchParams(query),
      redirect: 'manual',
    });
    const location = answer.headers.get('location');
    const callback = location === null ? {} : Object.fromEntries(new URL(location).searchParams);
    return { answer, callback, flow };
  }

  const complete = (query: Record<string, string>, flow: Flow, change: object = {}) =>
    method.complete(query, { ...request, ...change, flow }, never);

  async function logIn() {
    const { callback, flow } = await authorize();
    return complete(callback, flow);
  }
  return { network, server, mastodon, registration, app, request, authorize, complete, logIn };
}

const invalidGrant = {
  kind: 'rejected',
  message: expect.stringContaining('invalid_grant: The provided authorization grant is invalid'),
};

describe('an exchange', () => {
  test('works once', async () => {
    const { authorize, complete } = await register();
    const { callback, flow } = await authorize();
    expect(await complete(callback, flow)).toMatchObject({ tokenExpiresAt: null });
    expect(await refusal(complete(callback, flow))).toMatchObject(invalidGrant);
  });

  test('needs the PKCE verifier of the same consent since Mastodon 4.3', async () => {
    const strict = await register();
    const { callback } = await strict.authorize();
    const { flow } = await strict.authorize();
    expect(await refusal(strict.complete(callback, flow))).toMatchObject(invalidGrant);
    const older = await register({ hasPkce: false });
    const { callback: query } = await older.authorize();
    expect(await older.complete(query, flow)).toMatchObject({ tokenExpiresAt: null });
  });

  test('needs the redirect_uri of its consent', async () => {
    const { authorize, complete } = await register();
    const { callback, flow } = await authorize();
    const other = { callbackUrl: `${callbackUrl}/other` };
    expect(await refusal(complete(callback, flow, other))).toMatchObject(invalidGrant);
  });

  test('needs the app of its consent, with its secret', async () => {
    const { registration, server, app, authorize, complete } = await register();
    const { callback, flow } = await authorize();
    const wrong = { app: { ...app, clientSecret: 'wrong' } };
    expect(await refusal(complete(callback, flow, wrong))).toMatchObject({
      options: { platformCode: 'invalid_client' },
    });
    const second = await registration.register(server, client, never);
    const other = { app: { id: 'app_2', ...second } };
    expect(await refusal(complete(callback, flow, other))).toMatchObject(invalidGrant);
  });
});

describe('a consent', () => {
  test.each([
    ['redirect_uri', 'https://evil.test/', 400],
    ['client_id', 'somebody', 401],
    ['code_challenge_method', 'plain', 400],
  ])('is refused without a redirect if its %s was changed', async (name, value, status) => {
    const { answer } = await (await register()).authorize({ [name]: value });
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null]);
  });

  test('is refused in the callback if the app lacks a scope', async () => {
    const { authorize, complete } = await register();
    const { callback, flow } = await authorize({ scope: 'read:accounts write' });
    expect(callback).toMatchObject({ state: 'state', error: 'invalid_scope' });
    expect(await refusal(complete(callback, flow))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('The requested scope is invalid'),
    });
  });

  test('says in the callback that the user denied it', async () => {
    const { authorize } = await register();
    expect((await authorize({}, 'deny')).callback).toMatchObject({ error: 'access_denied' });
  });

  test('is remembered, so the next login skips the page unless the page is forced', async () => {
    const { server, mastodon, request, logIn } = await register();
    await logIn();
    const method = mastodon.connect[0] as ConsentMethod;
    const { url } = await method.begin(request, never);
    const ask = (to: string) => fetch(to, { redirect: 'manual' });
    expect((await ask(url)).headers.get('location')).toContain(`${callbackUrl}?code=`);
    expect((await ask(`${url}&force_login=true`)).status).toBe(200);
    expect(url).toContain(`${server}/oauth/authorize?`);
  });
});

describe('a token', () => {
  test('is revoked only by its app', async () => {
    const { network, server, mastodon, registration, app, logIn } = await register();
    const { credentials } = await logIn();
    const second = await registration.register(server, client, never);
    const other = { id: 'app_2', ...second };
    const refused = await refusal(mastodon.revoke!({ credentials, app: other }, never));
    expect(refused.options.platformCode).toBe('unauthorized_client');
    expect(network.countLogins()).toBe(1);
    await mastodon.revoke!({ credentials, app }, never);
    expect(network.countLogins()).toBe(0);
  });

  test('is not revoked if it comes from the form, and no call is made', async () => {
    const { network, server, mastodon } = await register();
    network.calls.length = 0;
    const credentials = { server, access_token: network.token };
    await mastodon.revoke!({ credentials, app: null }, never);
    expect(network.calls).toEqual([]);
  });
});

describe('a registered app', () => {
  test('is known until the server forgets it', async () => {
    const { network, server, registration, app } = await register();
    expect(await registration.isKnown(server, app, never)).toBe(true);
    network.forgetApps();
    expect(await registration.isKnown(server, app, never)).toBe(false);
  });

  test.each<[string, number, string, object]>([
    ['a page', 200, '<h1>Hi</h1>', { kind: 'rejected', options: { field: 'server' } }],
    ['no such page', 404, '', { kind: 'rejected', options: { field: 'server' } }],
    ['an error', 503, '', { kind: 'unavailable' }],
  ])('is not replaced if the server answers %s', async (_what, status, body, error) => {
    const { registration, app } = await register();
    const { url } = await startHttp((_, response) => response.writeHead(status).end(body));
    const known = registration.isKnown(new URL(url).origin, app, never);
    expect(await refusal(known)).toMatchObject(error);
  });

  test('is not waited for if the server answers too slowly', async () => {
    const server = await startHttp((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    const { connect } = createMastodon(createClient({ fetchDeadlineMs: 100 }));
    const { register } = (connect[0] as ConsentMethod).registration!;
    const registered = register(new URL(server.url).origin, client, never);
    expect(await refusal(registered)).toMatchObject({
      kind: 'unavailable',
      message: 'The network gave no answer.',
    });
  });
});
