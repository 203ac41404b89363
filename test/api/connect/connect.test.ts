// Connect sessions: the hosted page, the sandbox's consent, a form of credentials, the way back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import type { ProcessContext } from '../../../api/server/health.ts';
import { createRest } from '../../../api/server/rest.ts';
import { didDocument, handleRecord, txtOf } from '../../support/servers/bluesky-identity.ts';
import { createBrowser, formStateOf } from '../../support/app/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createTestRest, type TestKey, type TestRest } from '../../support/app/rest.ts';
import { createTestSandbox, type TestSandbox } from '../../support/app/sandbox.ts';

let network: TestDatabase;
let sandbox: TestSandbox;
let rest: TestRest;
let hosted: ReturnType<typeof createConnectRoutes>;
let tenant: TestKey;
const identity = {
  did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
  handle: 'ada.example.com',
  pds: 'https://pds.invalid',
};
const browser = createBrowser((url, init) => hosted.request(url, init));

beforeAll(async () => {
  network = await createTestDatabase();
  sandbox = createTestSandbox(network.db);
  const bluesky = createBluesky({
    apiUrl: 'https://bluesky.invalid',
    plcUrl: 'https://plc.invalid',
    lookUpTxt: txtOf(handleRecord(identity)),
    fetch: async (url, init) => {
      if (url.startsWith('https://plc.invalid')) return Response.json(didDocument(identity));
      return typeof init?.body === 'string' && init.body.includes('right-pass-word')
        ? Response.json({ did: identity.did, accessJwt: 'access', refreshJwt: 'refresh' })
        : Response.json({ error: 'AuthenticationRequired', message: 'Wrong' }, { status: 401 });
    },
  });
  rest = await createTestRest({}, { platforms: createPlatforms([sandbox.platform, bluesky]) });
  hosted = createConnectRoutes(rest.context);
  tenant = await rest.createTenant();
  const body = { return_origins: ['https://app.example.com'] };
  await rest.call('PATCH', '/v1/project', { key: tenant.key, body });
});
afterAll(async () => {
  await rest[Symbol.asyncDispose]();
  await network.drop();
});

interface Session {
  id: string;
  url: string;
  status: string;
  expires_at: string;
  completed_social_account_id: string | null;
  created_at: string;
}

async function createSession(input: Record<string, unknown> = {}): Promise<Session> {
  const { status, body } = await rest.call('POST', '/v1/connect/sessions', {
    key: tenant.key,
    body: { platform: 'sandbox', external_user_id: 'user-1', ...input },
  });
  expect(status).toBe(201);
  return body.data;
}

async function getSession(id: string): Promise<Session> {
  const { body } = await rest.call('GET', `/v1/connect/sessions/${id}`, { key: tenant.key });
  return body.data;
}

const locationOf = (response: Response) => response.headers.get('Location') ?? '';

/** From the session's page through the network's consent page to the callback's address. */
async function consent(url: string, decision: 'allow' | 'deny', handle = 'ada'): Promise<string> {
  const page = await browser.visit(url);
  const body = new URLSearchParams({ state: formStateOf(page), decision: 'connect' });
  const toNetwork = await browser.request(page.url, { method: 'POST', body });
  expect(toNetwork.status).toBe(303);
  const consentUrl = new URL(locationOf(toNetwork));
  expect(consentUrl.pathname).toBe('/sandbox/consent');
  expect((await sandbox.request(consentUrl.href)).status).toBe(200);
  const answer = await sandbox.request('/sandbox/consent', {
    method: 'POST',
    body: new URLSearchParams({ ...Object.fromEntries(consentUrl.searchParams), handle, decision }),
  });
  expect(answer.status).toBe(303);
  return locationOf(answer);
}

async function listEvents(accountId: string): Promise<{ event: string; data: object }[]> {
  const rows = await rest.context.db
    .selectFrom('events')
    .select('body')
    .where('social_account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  return rows.map((row) => JSON.parse(row.body));
}

describe('POST /v1/connect/sessions', () => {
  test('opens a page for half an hour', async () => {
    const session = await createSession();
    const lifetimeMs = Date.parse(session.expires_at) - Date.parse(session.created_at);
    expect(Math.abs(lifetimeMs - 1_800_000)).toBeLessThan(5_000);
    expect(session).toEqual({
      id: expect.stringMatching(/^cs_/),
      url: expect.stringMatching(
        /^http:\/\/fanfare\.test\/connect\/cs_[0-9a-z]{26}\?token=[\w-]{43}$/,
      ),
      platform: 'sandbox',
      environment: 'production',
      external_user_id: 'user-1',
      social_account_id: null,
      login: null,
      return_url: null,
      status: 'pending',
      expires_at: expect.any(String),
      completed_social_account_id: null,
      completed_social_account_ids: [],
      created_at: expect.any(String),
    });
    expect(await getSession(session.id)).toEqual({ ...session, url: null });
  });

  test.each([
    [{ platform: 'sandbox' }, 'external_user_id'],
    [{ platform: 'sandbox', external_user_id: 'u', return_url: 'javascript:1' }, 'return_url'],
    [
      { platform: 'sandbox', external_user_id: 'u', return_url: 'https://a:b@x.com/' },
      'return_url',
    ],
    [{ platform: 'nowhere', external_user_id: 'u' }, 'platform'],
  ])('refuses %j at %s', async (body, path) => {
    const answer = await rest.call('POST', '/v1/connect/sessions', { key: tenant.key, body });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues[0].path).toBe(path);
  });

  test("accepts a return_url at the project's origins only", async () => {
    const { key } = await rest.createTenant();
    const body = { return_origins: ['https://app.example.com/ignored'] };
    await rest.call('PATCH', '/v1/project', { key, body });
    const ask = (return_url: string) =>
      rest.call('POST', '/v1/connect/sessions', {
        key,
        body: { platform: 'sandbox', external_user_id: 'u', return_url },
      });
    expect((await ask('https://app.example.com/done?x=1')).status).toBe(201);
    const refused = await ask('https://app.example.com.evil.test/');
    expect(refused.status).toBe(422);
    expect(refused.body.error.issues[0]).toMatchObject({
      path: 'return_url',
      code: 'origin_not_allowed',
    });
  });

  test.each([
    ['production', 'https://fanfare.example', 'https://app.example.com/done', 422],
    ['production', 'https://fanfare.example', 'http://localhost:3000/done', 422],
    ['production', 'http://127.0.0.1:4000', 'https://app.example.com/done', 422],
    ['production', 'http://127.0.0.1:4000', 'https://localhost.example.com/done', 422],
    ['production', 'http://127.0.0.1:4000', 'http://localhost:3000/done', 201],
    ['production', 'http://localhost:4000', 'http://[::1]:3000/done', 201],
    ['production', 'http://[::1]:4000', 'http://127.0.0.2/done', 201],
    ['test', 'https://fanfare.example', 'https://app.example.com/done', 201],
  ] as const)(
    '%s key, Fanfare at %s, no return_origins: the return_url %s gets %i',
    async (environment, publicUrl, return_url, status) => {
      const { key } = await rest.createTenant({ environment });
      const app = createRest({ ...rest.context, publicUrl } as ProcessContext);
      const answer = await app.request('/v1/connect/sessions', {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ platform: 'sandbox', external_user_id: 'u', return_url }),
      });
      expect(answer.status).toBe(status);
      if (status === 201) return;
      const { error } = (await answer.json()) as { error: { hint: string } };
      expect(error).toMatchObject({
        hint: 'Add the origin to `return_origins` with `PATCH /v1/project`.',
        issues: [{ path: 'return_url', code: 'origin_not_allowed' }],
      });
    },
  );

  test('is 404 to another project, and 403 to a test key that asks for a real network', async () => {
    const { id } = await createSession();
    const other = await rest.createTenant({ environment: 'test' });
    const read = await rest.call('GET', `/v1/connect/sessions/${id}`, { key: other.key });
    expect(read.status).toBe(404);
    const opened = await rest.call('POST', '/v1/connect/sessions', {
      key: other.key,
      body: { platform: 'bluesky', external_user_id: 'u' },
    });
    expect(opened.status).toBe(403);
  });
});

describe('the consent of the sandbox', () => {
  test('connects a managed account and returns the user with the account', async () => {
    const return_url = 'https://app.example.com/done?tab=2';
    const session = await createSession({ external_user_id: 'user-7', return_url });
    expect(await getSession(session.id)).toMatchObject({ return_url });
    const ended = await browser.request(await consent(session.url, 'allow', '@Grace'));
    expect(ended.status).toBe(303);
    const { completed_social_account_id: accountId, ...after } = await getSession(session.id);
    expect(after).toMatchObject({ status: 'completed', url: null });
    expect(locationOf(ended)).toBe(
      `${return_url}&status=completed&session_id=${session.id}&account_id=${accountId}`,
    );
    const account = await rest.call('GET', `/v1/accounts/${accountId}`, { key: tenant.key });
    expect(account.body.data).toMatchObject({
      account_name: 'grace',
      connection_type: 'managed',
      external_user_id: 'user-7',
      status: 'active',
    });
    expect(await listEvents(accountId!)).toEqual([
      expect.objectContaining({
        event: 'account.connected',
        data: {
          social_account_id: accountId,
          platform: 'sandbox',
          account_name: 'grace',
          external_user_id: 'user-7',
          connection_type: 'managed',
        },
      }),
    ]);
  });

  test('works once: neither the callback nor the page can be used again', async () => {
    const session = await createSession();
    const callback = await consent(session.url, 'allow', 'henry');
    const [one, two] = await Promise.all([browser.request(callback), browser.request(callback)]);
    for (const answer of [one, two]) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('Your account is connected.');
    }
    const { completed_social_account_id: accountId } = await getSession(session.id);
    expect(await listEvents(accountId!)).toHaveLength(1);
    expect(await (await browser.request(callback)).text()).toContain('Your account is connected.');
    expect((await browser.visit(session.url)).html).toContain('Your account is connected.');
    expect(await listEvents(accountId!)).toHaveLength(1);
  });

  test('ends the session without an account when the user says no', async () => {
    const return_url = 'https://app.example.com/done';
    const session = await createSession({ return_url });
    const ended = await browser.request(await consent(session.url, 'deny'));
    expect(locationOf(ended)).toBe(`${return_url}?status=canceled&session_id=${session.id}`);
    expect((await getSession(session.id)).status).toBe('canceled');
  });

  test.each(['forged', 'a\0b'])('keeps the session open when the code is %j', async (code) => {
    const session = await createSession();
    const callback = new URL(await consent(session.url, 'allow'));
    callback.searchParams.set('code', code);
    const answer = await browser.request(callback.href);
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain(`href="/connect/${session.id}">Try again`);
    expect((await getSession(session.id)).status).toBe('pending');
  });

  test.each(['', 'cs_0', 'forged'])('refuses the state %j', async (state) => {
    const answer = await hosted.request(`/connect/callback?state=${state}&code=x`);
    expect(answer.status).toBe(404);
  });

  test("refuses one session's state with another's signature", async () => {
    const [a, b] = [await createSession(), await createSession()];
    const callback = new URL(await consent(a.url, 'allow'));
    const signature = callback.searchParams.get('state')!.split('.')[1]!;
    callback.searchParams.set('state', `${b.id}.${signature}`);
    await browser.request(b.url);
    expect((await browser.request(callback.href)).status).toBe(403);
    expect((await getSession(b.id)).status).toBe('pending');
  });
});

describe('GET /connect/:id', () => {
  test.each(['?token=', '?token=wrong'])('is 404 without the right token: %j', async (query) => {
    const { id } = await createSession();
    const answer = await hosted.request(`/connect/${id}${query}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('Set-Cookie')).toBeNull();
    expect(answer.headers.get('Referrer-Policy')).toBe('no-referrer');
  });

  test('says so when the link has expired, and the API says the same', async () => {
    const session = await createSession();
    await rest.context.db
      .updateTable('connect_sessions')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('id', '=', session.id)
      .execute();
    const answer = await hosted.request(session.url);
    expect(answer.status).toBe(410);
    expect(await answer.text()).toContain('expired');
    expect(await getSession(session.id)).toMatchObject({ status: 'expired', url: null });
  });

  test.each([
    ['expired', { expires_at: new Date(0) }],
    ['canceled', { status: 'canceled' as const }],
  ])('links back to the return_url once the session is %s', async (status, columns) => {
    const return_url = 'https://app.example.com/done?tab=2';
    const session = await createSession({ return_url });
    await rest.context.db
      .updateTable('connect_sessions')
      .set(columns)
      .where('id', '=', session.id)
      .execute();
    const { html } = await browser.visit(session.url);
    const link = /href="([^"]*)">Return to Test</.exec(html)![1]!;
    expect(link.replaceAll('&amp;', '&')).toBe(
      `${return_url}&status=${status}&session_id=${session.id}`,
    );
  });
});

/** The second connection method: the first one is a consent. */
async function visitForm(session: Session) {
  const first = await browser.visit(session.url);
  return browser.visit(`${first.url}?way=2`);
}

async function submit(session: Session, fields: Record<string, string>) {
  return browser.submit(await visitForm(session), fields);
}

test.each(['%00', 'prj_unknown'])('the client metadata of the project %s is 404', async (id) => {
  const answer = await hosted.request(`/connect/bluesky/${id}/client-metadata.json`);
  expect(answer.status).toBe(404);
});

describe('the form of a network with plain credentials', () => {
  test('asks for what the network needs, the password hidden', async () => {
    const session = await createSession({ platform: 'bluesky' });
    const { html: text } = await visitForm(session);
    expect(text).toMatch(/name="handle"\s+type="text"/);
    expect(text).toMatch(/name="app_password"\s+type="password"/);
    expect(text).toContain('Server (optional)');
    expect(text).toContain('<h1>Connect your Bluesky account</h1>');
    expect(text).not.toContain('`');
  });

  test('connects a managed account', async () => {
    const session = await createSession({ platform: 'bluesky', external_user_id: 'user-3' });
    const ended = await submit(session, {
      handle: 'ada.example.com',
      app_password: 'right-pass-word',
      service: '',
      decision: 'connect',
    });
    expect(ended.html).toContain('Your account is connected.');
    const { completed_social_account_id: accountId } = await getSession(session.id);
    const account = await rest.call('GET', `/v1/accounts/${accountId}`, { key: tenant.key });
    expect(account.body.data).toMatchObject({
      platform: 'bluesky',
      external_account_id: identity.did,
      connection_type: 'managed',
      external_user_id: 'user-3',
    });
  });

  test('shows what was wrong at its field and keeps all but the secret', async () => {
    const session = await createSession({ platform: 'bluesky' });
    const fields = { handle: '"><script>', app_password: 'wrong-pass-word', decision: 'connect' };
    const odd = await submit(session, fields);
    expect(odd.status).toBe(422);
    const text = odd.html;
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(text).toContain('role="alert"');
    expect(text).not.toContain('wrong-pass-word');
    const refused = await submit(session, { ...fields, handle: 'ada.example.com' });
    expect(refused.status).toBe(422);
    expect((await getSession(session.id)).status).toBe('pending');
  });

  test('is 400 if its body cannot be read, and nothing is logged', async () => {
    const logged: unknown[] = [];
    const log = { error: (entry: unknown) => logged.push(entry) };
    const pages = createConnectRoutes({ ...rest.context, log } as never);
    const { id } = await createSession({ platform: 'bluesky' });
    const answer = await pages.request(`/connect/${id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=a' },
      body: '--b\r\nnothing',
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('Content-Type')).toContain('text/html');
    expect(logged).toEqual([]);
  });

  test('can be canceled', async () => {
    const session = await createSession({ platform: 'bluesky' });
    const answer = await submit(session, { decision: 'cancel' });
    expect(answer.html).toContain('Your account was not connected.');
    expect((await getSession(session.id)).status).toBe('canceled');
  });
});
