// Mastodon accounts that connect by consent on the hosted page, through a whole Fanfare.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createBrowser } from '../../../support/app/browser.ts';
import { giveConsent } from '../../../support/app/consent.ts';
import { useApp } from '../../../support/app/app.ts';
import type { Tenant } from '../../../support/app/seed.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import { startFaultyServer } from '../../../support/networks/faulty-server.ts';
import {
  createMastodonServer,
  type MastodonServer,
  type MastodonTraits,
} from '../../../support/networks/mastodon/server.ts';
import { startHttp } from '../../../support/receivers/loopback.ts';
import { readCredentials, readGranted } from '../../../support/rows/grants.ts';

const app = useApp();

async function start(traits?: MastodonTraits) {
  const network = createMastodonServer(traits);
  const { url, close } = await startFaultyServer(network, createSwitchboard());
  onTestFinished(close);
  return { network, server: url, host: new URL(url).host };
}

async function createSession(tenant: Tenant = app.tenant, user = 'user-1') {
  const body = { platform: 'mastodon', external_user_id: user };
  return (await tenant.api.post('/v1/connect/sessions', body)).body.data as {
    id: string;
    url: string;
  };
}

/** Returns the account and the last page. */
async function connect(server: string, tenant: Tenant = app.tenant, user?: string) {
  const session = await createSession(tenant, user);
  const page = await giveConsent(session.url, { inputs: { server } });
  const { data } = (await tenant.api.get(`/v1/connect/sessions/${session.id}`)).body;
  return { page, accountId: data.completed_social_account_id as string | null };
}

async function connectNew(traits?: MastodonTraits) {
  const started = await start(traits);
  const { accountId } = await connect(started.server);
  return { ...started, accountId: accountId! };
}

async function publish(accountId: string, tenant: Tenant = app.tenant) {
  const post = await tenant.createPost({ caption: 'Hello', account_ids: [accountId] });
  return (await tenant.waitForPost(post.id)).results[0]!;
}

const connectByForm = async (server: string, { token }: MastodonServer) =>
  app.tenant.api.post('/v1/accounts/connect', {
    platform: 'mastodon',
    credentials: { server, access_token: token },
    external_user_id: 'user-1',
  });

const read = async (accountId: string) =>
  (await app.api.get(`/v1/accounts/${accountId}`)).body.data;
const readToken = async (accountId: string) =>
  (await readCredentials(app.context.db, app.context.vault, accountId))!['access_token'];
const readAppId = async (accountId: string) => {
  const { grant_id } = await readGranted(app.context.db, accountId);
  const grants = app.context.db.selectFrom('grants').select('app_id').where('id', '=', grant_id);
  return (await grants.executeTakeFirstOrThrow()).app_id;
};

describe('a login by consent', () => {
  test('connects and publishes with the app that was registered', async () => {
    const { network, host, accountId } = await connectNew({ domain: '127.0.0.1' });
    expect(network.listApps()).toMatchObject([
      {
        name: 'test',
        website: app.url,
        redirect_uri: `${app.url}/connect/callback/mastodon/${encodeURIComponent(host)}`,
        scopes: ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'],
      },
    ]);
    expect(await read(accountId)).toMatchObject({
      account_name: `@ada@${host}`,
      status: 'active',
      scope: ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'],
      token_expires_at: null,
    });
    expect(await publish(accountId)).toMatchObject({ status: 'published' });
    expect(network.listPosts()).toMatchObject([{ text: 'Hello' }]);
  });

  test('works at a server before Mastodon 4.3, which ignores PKCE', async () => {
    const { accountId } = await connectNew({ hasPkce: false, scopes: null });
    expect(await publish(accountId)).toMatchObject({ status: 'published' });
  });

  test('must be reconnected after the user revokes it, and the account keeps its ID', async () => {
    const { network, server, accountId } = await connectNew();
    await network.revokeToken();
    expect(await publish(accountId)).toMatchObject({ error_code: 'token_revoked' });
    expect(await read(accountId)).toMatchObject({ status: 'reconnect_required' });
    expect((await connect(server)).accountId).toBe(accountId);
    expect(await publish(accountId)).toMatchObject({ status: 'published' });
    expect(network.listApps()).toHaveLength(1);
  });

  test('is revoked at the server when its account is disconnected', async () => {
    const { network, accountId } = await connectNew();
    expect(network.countLogins()).toBe(1);
    expect((await app.api.delete(`/v1/accounts/${accountId}`)).status).toBe(204);
    expect(network.countLogins()).toBe(0);
  });

  test('gets the same token if it is repeated, and the token stays valid', async () => {
    const { network, server, accountId } = await connectNew();
    const token = await readToken(accountId);
    expect((await connect(server)).accountId).toBe(accountId);
    expect([await readToken(accountId), network.countLogins()]).toEqual([token, 1]);
    expect(await publish(accountId)).toMatchObject({ status: 'published' });
  });

  test('is refused for a second user, and the first user keeps the token', async () => {
    const { server, accountId } = await connectNew();
    const { page, accountId: none } = await connect(server, app.tenant, 'user-2');
    expect(page.html).toContain('is connected for another user');
    expect(none).toBeNull();
    expect(await publish(accountId)).toMatchObject({ status: 'published' });
  });

  test('is revoked if no account uses it', async () => {
    const { network, server, accountId } = await connectNew();
    await connectByForm(server, network);
    expect(network.countLogins()).toBe(0);
    await connect(server, app.tenant, 'user-2');
    expect(network.countLogins()).toBe(0);
    expect(await publish(accountId)).toMatchObject({ status: 'published' });
  });

  test('cancels the session if the user denies it', async () => {
    const { network, server } = await start();
    const session = await createSession();
    const decision = { decision: 'deny' };
    const page = await giveConsent(session.url, { inputs: { server }, decision });
    expect(page.html).toContain('Your account was not connected.');
    const ended = await app.api.get(`/v1/connect/sessions/${session.id}`);
    expect(ended.body.data).toMatchObject({ status: 'canceled' });
    expect(network.countLogins()).toBe(0);
  });

  test("leaves a connected account its token if the account can't be read", async () => {
    const network = createMastodonServer();
    let isDown = false;
    const answer: MastodonServer['answer'] = (request) =>
      isDown && request.url.endsWith('/api/v2/instance')
        ? network.refuse('unavailable')
        : network.answer(request);
    const { url, close } = await startFaultyServer({ ...network, answer }, createSwitchboard());
    onTestFinished(close);
    const { accountId } = await connect(url);
    isDown = true;
    expect((await connect(url)).page.status).toBe(503);
    isDown = false;
    expect(network.countLogins()).toBe(1);
    expect(await publish(accountId!)).toMatchObject({ status: 'published' });
  });

  test('is refused with the names of the scopes that it lacks', async () => {
    const { network, server } = await start({ grantedScopes: ['read:accounts', 'read:statuses'] });
    const { page, accountId } = await connect(server);
    expect([page.status, accountId]).toEqual([409, null]);
    expect(page.html).toContain('lacks these permissions: write:statuses, write:media.');
    expect(network.countLogins()).toBe(0);
  });
});

test('two projects connect the same account, each with its own app and token', async () => {
  const { network, server, accountId } = await connectNew();
  const other = await app.createTenant();
  const { accountId: theirs } = await connect(server, other);
  expect(network.listApps()).toHaveLength(2);
  expect(network.countLogins()).toBe(2);
  expect(await readToken(theirs!)).not.toBe(await readToken(accountId));
  await other.api.delete(`/v1/accounts/${theirs}`);
  expect(network.countLogins()).toBe(1);
  expect(await publish(accountId)).toMatchObject({ status: 'published' });
});

describe('the same account through the form and by consent', () => {
  test('keeps its ID, and takes the grant of the consent', async () => {
    const { network, server } = await start();
    const { id } = (await connectByForm(server, network)).body.data;
    expect((await connect(server)).accountId).toBe(id);
    expect(await readToken(id)).not.toBe(network.token);
    expect(await readAppId(id)).not.toBeNull();
    // Only its own application could revoke the pasted token.
    expect(network.calls).not.toContain('/oauth/revoke');
    expect(await publish(id)).toMatchObject({ status: 'published' });
  });

  test('keeps its ID, and takes the pasted token', async () => {
    const { network, server, accountId } = await connectNew();
    const again = await connectByForm(server, network);
    expect([again.status, again.body.data.id]).toEqual([200, accountId]);
    expect([await readToken(accountId), await readAppId(accountId)]).toEqual([network.token, null]);
    expect(await publish(accountId)).toMatchObject({ status: 'published' });
    network.calls.length = 0;
    await app.api.delete(`/v1/accounts/${accountId}`);
    expect(network.calls).toEqual([]);
  });
});

describe('a server that has forgotten the app', () => {
  test('gets a new app', async () => {
    const { network, server, accountId } = await connectNew();
    const old = await readAppId(accountId);
    await app.api.delete(`/v1/accounts/${accountId}`);
    network.forgetApps();
    expect((await connect(server)).accountId).toBe(accountId);
    expect(network.listApps()).toHaveLength(1);
    expect(await readAppId(accountId)).not.toBe(old);
  });

  test('leaves the old app to the logins that it made', async () => {
    const { network, server, accountId } = await connectNew();
    const old = await readAppId(accountId);
    network.forgetApps();
    const browser = createBrowser();
    const form = await browser.visit((await createSession()).url);
    await browser.submit(form, { server, decision: 'connect' });
    expect(await readAppId(accountId)).toBe(old);
    expect(await publish(accountId)).toMatchObject({ status: 'published' });
  });

  test('ends a consent with an error, and the next try works', async () => {
    const { network, server } = await start();
    const session = await createSession();
    const browser = createBrowser();
    const form = await browser.visit(session.url);
    const consent = await browser.submit(form, { server, decision: 'connect' });
    const allowed = await fetch(`${server}/oauth/authorize`, {
      method: 'POST',
      body: new URLSearchParams([...new URL(consent.url).searchParams, ['decision', 'allow']]),
      redirect: 'manual',
    });
    network.forgetApps();
    const refused = await browser.visit(allowed.headers.get('location')!);
    expect(refused.status).toBe(409);
    expect(refused.html).toContain('Mastodon refused the request: invalid_client: Client auth');
    const link = /href="([^"]*)">Try again/.exec(refused.html)![1]!;
    const again = await browser.visit(new URL(link, app.url).href);
    const page = await browser.submit(again, { server, decision: 'connect' });
    const done = await browser.submit(page, { decision: 'allow' });
    expect(done.html).toContain('Your account is connected.');
  });
});

const html = { 'content-type': 'text/html' };
const appWith = (client_id: string) => JSON.stringify({ client_id, client_secret: 'secret' });

describe('a server that registers no app', () => {
  async function submit(server: string) {
    const browser = createBrowser();
    const form = await browser.visit((await createSession()).url);
    return browser.submit(form, { server, decision: 'connect' });
  }

  test.each<[string, number, Record<string, string>, string]>([
    ['no such page', 404, html, '<h1>Not here</h1>'],
    ['a page', 200, html, '<h1>Welcome</h1>'],
    ['another JSON', 200, {}, '{"client":{}}'],
    ['an app with a line break', 200, {}, appWith('a\r\nb')],
    ['an app with an endless ID', 200, {}, appWith('a'.repeat(10_000))],
    ['a private address to go to', 307, { location: 'http://10.0.0.1/api/v1/apps' }, ''],
    ['10 MB', 200, {}, ' '.repeat(10 * 1024 * 1024)],
  ])('is named at its field if it answers with %s', async (_what, status, headers, body) => {
    const server = await startHttp((request, response) => {
      request.resume();
      response.writeHead(status, headers).end(body);
    });
    const page = await submit(new URL(server.url).origin);
    expect(page.status).toBe(422);
    expect(page.html).toContain(
      `id="server-error">127.0.0.1:${server.port} does not answer as a Mastodon server.`,
    );
    const apps = app.context.db.selectFrom('platform_apps').select('id');
    const kept = apps.where('instance', 'like', `${new URL(server.url).origin} %`);
    expect(await kept.execute()).toEqual([]);
  });

  test("is reported at its field, with the server's own words", async () => {
    const server = await startHttp((request, response) => {
      request.resume();
      response.writeHead(422).end('{"error":"Validation failed: Website is invalid"}');
    });
    const page = await submit(new URL(server.url).origin);
    expect(page.html).toContain(
      `id="server-error">127.0.0.1:${server.port} refused to register an app: Validation failed: Website is invalid`,
    );
  });

  test('is named at its field if its address is private', async () => {
    const page = await submit('https://10.0.0.1');
    expect(page.html).toContain('id="server-error">10.0.0.1 does not answer as a Mastodon server.');
  });

  test('is refused at its field if it is no address', async () => {
    const page = await submit('two words');
    expect(page.html).toContain('id="server-error">Server must be the address of a server.');
  });

  test('may be tried again if it is unreachable', async () => {
    const page = await submit('http://127.0.0.1:2');
    expect(page.status).toBe(422);
    expect(page.html).toContain('<p role="alert">127.0.0.1:2 could not be reached.</p>');
  });

  test('may be tried again if it gets too many requests', async () => {
    const server = await startHttp((request, response) => {
      request.resume();
      response.writeHead(429).end('{"error":"Too many requests"}');
    });
    const page = await submit(new URL(server.url).origin);
    expect(page.html).toContain(
      '<p role="alert">Mastodon limits the rate: 429: Too many requests</p>',
    );
  });
});

describe('a server that fails the exchange of the code', () => {
  /** All but the token endpoint is a Mastodon server. */
  async function startLying(status: number, headers: Record<string, string>, body: string) {
    const { server } = await start();
    const liar = await startHttp(async (request, response) => {
      const { method = 'GET', url = '/' } = request;
      if (url === '/oauth/token') {
        request.resume();
        return response.writeHead(status, headers).end(body);
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await fetch(`${server}${url}`, {
        method,
        headers: { 'content-type': request.headers['content-type'] ?? '' },
        body: method === 'GET' ? null : Buffer.concat(chunks),
        redirect: 'manual',
      });
      const location = answer.headers.get('location');
      response.writeHead(answer.status, { ...(location && { location }) });
      return response.end(await answer.text());
    });
    return new URL(liar.url).origin;
  }

  test.each<[string, number, Record<string, string>, string, number, string]>([
    ['a page', 200, html, '<h1>Hi</h1>', 503, 'Mastodon answered in a way that can'],
    ['no token', 200, {}, '{"token_type":"Bearer"}', 503, 'Mastodon answered in a way that can'],
    ['10 MB', 200, {}, ' '.repeat(10 * 1024 * 1024), 503, 'The network gave no answer.'],
    ['an address', 307, { location: 'http://10.0.0.1/' }, '', 503, 'Mastodon failed: HTTP 307'],
    ['an error', 500, {}, '{}', 503, 'Mastodon failed: HTTP 500'],
  ])(
    'connects nothing, and may be tried again, if it answers with %s',
    async (_what, status, headers, body, shown, words) => {
      const { page, accountId } = await connect(await startLying(status, headers, body));
      expect([page.status, accountId]).toEqual([shown, null]);
      expect(page.html).toContain(words);
      expect(page.html).toContain('Try again');
    },
  );
});
