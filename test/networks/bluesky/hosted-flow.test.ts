// A user connects at the login page of a real Bluesky server, through the whole of Fanfare.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credentials } from '../../../activities/platforms/platform.ts';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { createBrowser, formStateOf, type Browser } from '../../support/app/browser.ts';
import { refusal } from '../../support/checks/platform-refusal.ts';
import { readHistories, readTables } from '../../support/checks/traces.ts';
import { createTestLog } from '../../support/log.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { readCredentials, setCredentials } from '../../support/rows/grants.ts';
import { allowAtPds, denyAtPds } from '../../support/servers/bluesky-consent.ts';
import { startBlueskyPds, type BlueskyPds } from '../../support/servers/bluesky-pds.ts';

const started = await startBlueskyPds();
const skipped = 'skipped' in started ? started.skipped : undefined;
const pds = started as BlueskyPds;
const password = 'correct-horse-battery';

describe.skipIf(skipped !== undefined)('at the page of a Bluesky server', () => {
  let app: TestApp;
  const testLog = createTestLog('debug');
  /** Codes, tokens and keys of all logins. */
  const secrets: string[] = [password];
  const answers: string[] = [];

  beforeAll(async () => {
    app = await startApp({ env: pds.env, log: testLog.log });
  });

  afterAll(async () => {
    await app.stop();
    await pds.stop();
  });

  interface Session {
    id: string;
    url: string;
  }

  async function createSession(): Promise<Session> {
    const body = { platform: 'bluesky', external_user_id: 'user-1' };
    return (await app.api.post('/v1/connect/sessions', body)).body.data;
  }

  const readSession = async ({ id }: Session) =>
    (await app.api.get(`/v1/connect/sessions/${id}`)).body.data;

  /** Types the handle in. Returns the address of the page at the server. */
  async function begin(browser: Browser, url: string, handle: string): Promise<string> {
    const form = await browser.visit(url);
    const body = new URLSearchParams({
      state: formStateOf(form),
      decision: 'connect',
      handle,
    });
    const answer = await browser.request(form.url, { method: 'POST', body });
    const html = await answer.text();
    return answer.headers.get('Location') ?? html.replace(/<style>.*<\/style>/s, '');
  }

  async function connect(browser: Browser, url: string, handle: string): Promise<string> {
    const back = await allowAtPds(await begin(browser, url, handle), { handle, password });
    secrets.push(new URL(back).searchParams.get('code')!);
    const { html } = await browser.visit(back);
    answers.push(html);
    return html;
  }

  async function readLogin(account: string): Promise<Credentials> {
    const credentials = (await readCredentials(app.context.db, app.context.vault, account))!;
    const { access_token = '', refresh_token = '', dpop_jwk = '{}' } = credentials;
    const { d } = JSON.parse(dpop_jwk) as { d: string };
    secrets.push(access_token, refresh_token, d);
    return credentials;
  }

  async function publish(account: string, caption: string) {
    const { id } = await app.tenant.createPost({ caption, account_ids: [account] });
    return (await app.tenant.waitForPost(id)).results[0];
  }

  /** The server answers as it does an hour later. */
  async function expireToken(account: string): Promise<void> {
    const { db, vault } = app.context;
    const stored = (await readCredentials(db, vault, account))!;
    const access_token = pds.expireToken(stored['access_token']!);
    await setCredentials(db, vault, account, { ...stored, access_token });
  }

  /** Fanfare's pages at an https address, whose client the server looks up there. */
  async function startPublicPages() {
    const receiver = await startReceiver({
      async respond({ path }) {
        const answer = await pages.request(path);
        const headers = { 'content-type': answer.headers.get('content-type')! };
        return { status: answer.status, headers, body: await answer.text() };
      },
    });
    const publicUrl = `https://port-${receiver.port}.home.arpa`;
    const pages = createConnectRoutes({ ...app.context, publicUrl });
    const browser = createBrowser((url, init) => pages.request(url, init));
    const linkOf = ({ url }: Session) => url.replace(new URL(url).origin, publicUrl);
    return { receiver, publicUrl, browser, linkOf };
  }

  test('a user of a service on loopback connects, publishes and disconnects', async () => {
    const user = await pds.createAccount('loopback.test', password);
    const session = await createSession();
    const html = await connect(createBrowser(), session.url, user.handle);
    expect(html).toContain('Your account is connected.');
    const { status, completed_social_account_id: account } = await readSession(session);
    expect(status).toBe('completed');
    expect((await app.api.get(`/v1/accounts/${account}`)).body.data).toMatchObject({
      platform: 'bluesky',
      account_name: 'loopback.test',
      external_account_id: user.did,
      status: 'active',
    });
    expect(await publish(account, 'From a page')).toMatchObject({ status: 'published' });

    const { db } = app.context;
    const credentials = await readLogin(account);
    expect((await app.api.delete(`/v1/accounts/${account}`)).status).toBe(204);
    const { id, client_id: clientId } = await db
      .selectFrom('platform_apps')
      .select(['id', 'client_id'])
      .where('platform', '=', 'bluesky')
      .executeTakeFirstOrThrow();
    const login = { credentials, app: { id, clientId, clientSecret: null } };
    const { refresh } = app.context.platforms.get('bluesky')!;
    const error = await refusal(refresh!(login, AbortSignal.timeout(10_000)));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'invalid_grant' },
    });
  });

  test('a user of a public service connects with its signing client, and stays connected', async () => {
    const { receiver, publicUrl, browser, linkOf } = await startPublicPages();
    await using _ = receiver;
    const user = await pds.createAccount('signing.test', password);
    const session = await createSession();
    const html = await connect(browser, linkOf(session), user.handle);
    expect(html).toContain('Your account is connected.');
    const { completed_social_account_id: account } = await readSession(session);
    const before = await readLogin(account);
    await expireToken(account);
    expect(await publish(account, 'After a refresh')).toMatchObject({ status: 'published' });
    const after = await readLogin(account);
    expect(after['refresh_token']).not.toBe(before['refresh_token']);
    expect(after['dpop_jwk']).toBe(before['dpop_jwk']);

    const clientId = `${publicUrl}/connect/bluesky/${app.tenant.projectId}/client-metadata.json`;
    expect(receiver.requests.map(({ path }) => path)).toContain(new URL(clientId).pathname);
    const apps = await app.context.db
      .selectFrom('platform_apps')
      .selectAll()
      .where('client_id', '=', clientId)
      .execute();
    expect(apps).toHaveLength(1);
    expect(apps[0]!.project_id).toBe(app.tenant.projectId);
  });

  test('two first users at once connect with the same client', async () => {
    const { receiver, browser, publicUrl, linkOf } = await startPublicPages();
    await using _ = receiver;
    const handles = ['early.test', 'earlier.test'];
    for (const handle of handles) await pds.createAccount(handle, password);
    const pages = await Promise.all(
      handles.map(async (handle) => {
        const session = await createSession();
        return { handle, session, page: await begin(browser, linkOf(session), handle) };
      }),
    );
    for (const { handle, session, page } of pages) {
      await browser.visit(await allowAtPds(page, { handle, password }));
      expect(await readSession(session)).toMatchObject({ status: 'completed' });
    }
    const apps = await app.context.db
      .selectFrom('platform_apps')
      .select('id')
      .where('client_id', 'like', `${publicUrl}%`)
      .execute();
    expect(apps).toHaveLength(1);
  });

  test('a user who refuses ends the session', async () => {
    const user = await pds.createAccount('refuses.test', password);
    const session = await createSession();
    const browser = createBrowser();
    const page = await begin(browser, session.url, user.handle);
    expect((await browser.visit(await denyAtPds(page))).html).toContain('was not connected');
    expect(await readSession(session)).toMatchObject({ status: 'canceled' });
  });

  test('a handle that does not exist is refused at its field', async () => {
    const session = await createSession();
    const html = await begin(createBrowser(), session.url, 'nobody.test');
    expect(html).toContain('The handle nobody.test does not exist.');
  });

  test('an account with an app password moves to the login of the page', async () => {
    const user = await pds.createAccount('moves.test', password);
    const connected = await app.api.post('/v1/accounts/connect', {
      platform: 'bluesky',
      external_user_id: 'user-1',
      credentials: { handle: user.handle, app_password: user.appPassword },
    });
    const session = await createSession();
    await connect(createBrowser(), session.url, user.handle);
    const { completed_social_account_id: account } = await readSession(session);
    expect(account).toBe(connected.body.data.id);
    expect(Object.keys(await readLogin(account))).toContain('dpop_jwk');
    expect(await publish(account, 'Still here')).toMatchObject({ status: 'published' });
  });

  test('no code, token or key of these logins is in an answer, table, log line or history', async () => {
    for (const path of ['accounts', 'posts', 'events']) {
      answers.push((await app.api.get(`/v1/${path}`)).text);
    }
    const places = {
      answers,
      tables: await readTables(app.context.db),
      lines: testLog.lines.map((line) => JSON.stringify(line)),
      histories: await readHistories(app.namespace),
    };
    // The password, three codes, and four reads of a login.
    expect(secrets).toHaveLength(16);
    expect(secrets.filter((secret) => secret.length < 20)).toEqual([]);
    for (const [place, texts] of Object.entries(places)) {
      expect([place, texts.length > 0]).toEqual([place, true]);
      const found = secrets.filter((secret) => texts.some((text) => text.includes(secret)));
      expect([place, found]).toEqual([place, []]);
    }
  });
});

describe('the document of the client', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ roles: { api: true, worker: false } });
  });
  afterAll(() => app.stop());

  const pathOf = (network = 'bluesky', projectId = app.tenant.projectId) =>
    `/connect/${network}/${projectId}/client-metadata.json`;
  const pagesAt = (publicUrl: string) => createConnectRoutes({ ...app.context, publicUrl });

  test('has the public key alone, and stays the same', async () => {
    await app.api.patch('/v1/project', { name: 'Acme & Co' });
    const pages = pagesAt('https://fanfare.example.com');
    const answers = await Promise.all([1, 2, 3].map(async () => pages.request(pathOf())));
    const [first, ...others] = await Promise.all(answers.map((answer) => answer.json()));
    expect(answers[0]!.headers.get('content-type')).toMatch(/^application\/json/);
    expect(others).toEqual([first, first]);
    expect(first).toEqual({
      client_id: `https://fanfare.example.com${pathOf()}`,
      client_name: 'Acme & Co',
      client_uri: 'https://fanfare.example.com',
      application_type: 'web',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['https://fanfare.example.com/connect/callback'],
      scope: 'atproto transition:generic',
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      dpop_bound_access_tokens: true,
      jwks: {
        keys: [
          {
            kty: 'EC',
            crv: 'P-256',
            x: expect.any(String),
            y: expect.any(String),
            kid: expect.any(String),
            alg: 'ES256',
            use: 'sig',
          },
        ],
      },
    });
    const { client_secret } = await app.context.db
      .selectFrom('platform_apps')
      .select('client_secret')
      .executeTakeFirstOrThrow();
    expect(client_secret!.toString()).not.toContain('"d"');
  });

  test.each([
    ['a service on loopback', 'http://127.0.0.1:4000', 'bluesky'],
    ['a service without a domain', 'http://localhost:4000', 'bluesky'],
    ['a network whose clients have none', 'https://fanfare.example.com', 'telegram'],
    ['no network', 'https://fanfare.example.com', 'nothing'],
  ])('does not exist for %s', async (_, publicUrl, network) => {
    const answer = await pagesAt(publicUrl).request(pathOf(network));
    expect(answer.status).toBe(404);
  });

  test("is each project's own, and an unknown project has none", async () => {
    const pages = pagesAt('https://fanfare.example.com');
    const other = await app.createTenant('Other');
    const answer = await pages.request(pathOf('bluesky', other.projectId));
    expect(await answer.json()).toMatchObject({ client_name: 'Other' });
    expect((await pages.request(pathOf('bluesky', 'prj_unknown'))).status).toBe(404);
  });

  test.each([
    'http://localhost:4000',
    'http://fanfare.example.com',
    'https://fanfare.example.com:8443',
    'https://203.0.113.7',
    'https://localhost',
  ])('a consent at %s is refused before any server is asked', async (publicUrl) => {
    const body = { platform: 'bluesky', external_user_id: 'user-1' };
    const { id, url } = (await app.api.post('/v1/connect/sessions', body)).body.data;
    const pages = pagesAt(publicUrl);
    const browser = createBrowser((at, init) => pages.request(at, init));
    const form = await browser.visit(url.replace(new URL(url).origin, publicUrl));
    const refused = await browser.submit(form, { handle: 'ada.bsky.social', decision: 'connect' });
    expect(refused.status).toBe(422);
    expect(refused.html).toContain('must be https with a domain and no port');
    expect(refused.html).toContain(`/connect/${id}?way=2`);
  });
});
