// The hosted flow at a network with OAuth 2, whose login reaches three accounts.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { ConnectWay, ConsentWay, Platform } from '../../../activities/platforms/platform.ts';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import { createBrowser, type Page } from '../../support/app/browser.ts';
import { createTestRest, type TestKey, type TestRest } from '../../support/app/rest.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { startFaultyServer, type FaultyServer } from '../../support/networks/faulty-server.ts';
import { createOAuthPlatform } from '../../support/networks/oauth/connector.ts';
import { createOAuthServer, type OAuthServer } from '../../support/networks/oauth/server.ts';

const origin = 'http://fanfare.test';
const returnUrl = 'https://app.example.com/done?tab=2';

let network: OAuthServer;
let http: FaultyServer;
let platform: Platform;
let rest: TestRest;
let tenant: TestKey;

beforeAll(async () => {
  rest = await createTestRest();
});
afterAll(() => rest[Symbol.asyncDispose]());

beforeEach(async () => {
  network = createOAuthServer(`${origin}/connect/callback`);
  http = await startFaultyServer(network, createSwitchboard());
  platform = createOAuthPlatform({ fetch, url: http.url, client: network.client });
  tenant = await rest.createTenant();
  return () => http.close();
});

const consentOf = ({ connect }: Platform) => connect[0] as ConsentWay;
const withWays = (...connect: ConnectWay[]): Platform => ({ ...platform, connect });

/** A browser of its own, which reaches Fanfare and the network. */
function browse(at: Platform = platform) {
  const pages = createConnectRoutes({ ...rest.context, platforms: createPlatforms([at]) });
  return createBrowser((url, init) =>
    new URL(url).origin === origin ? pages.request(url, init) : fetch(url, init),
  );
}
type Browser = ReturnType<typeof browse>;

interface Session {
  id: string;
  url: string;
}

async function createSession(input: object = {}): Promise<Session> {
  const body = { platform: 'sandbox', external_user_id: 'user-1', ...input };
  return (await rest.call('POST', '/v1/connect/sessions', { key: tenant.key, body })).body.data;
}

const readSession = async ({ id }: Session) =>
  (await rest.call('GET', `/v1/connect/sessions/${id}`, { key: tenant.key })).body.data;

/** Names of the connected accounts. */
async function listAccounts(): Promise<string[]> {
  const { body } = await rest.call('GET', '/v1/accounts', { key: tenant.key });
  return body.data.map((account: { account_name: string }) => account.account_name).toSorted();
}

const readFlow = ({ id }: Session) =>
  rest.context.db
    .selectFrom('connect_sessions')
    .select('flow')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

/** The address that the network's consent page sends the user to. */
async function findCallback(page: Page, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
  const body = new URLSearchParams({
    ...Object.fromEntries(new URL(page.url).searchParams),
    decision,
  });
  const init = { method: 'POST', body, redirect: 'manual' } as const;
  const answer = await fetch(page.url.split('?')[0]!, init);
  return answer.headers.get('Location')!;
}

/** From the link through the consent to the page after it. */
async function logIn(browser: Browser, { url }: Session): Promise<Page> {
  return browser.submit(await browser.visit(url), { decision: 'allow' });
}

const choose = (...account: string[]) => ({ decision: 'choose', account });

/** Nothing was connected, and the session is open. */
async function expectOpen(session: Session, accounts: string[] = []): Promise<void> {
  expect(await listAccounts()).toEqual(accounts);
  expect(await readSession(session)).toMatchObject({
    status: 'pending',
    completed_social_account_id: null,
    completed_social_account_ids: [],
  });
}

describe('a choice among accounts', () => {
  test('shows each account, and why one can not be chosen', async () => {
    const browser = browse();
    const session = await createSession();
    const page = await logIn(browser, session);
    expect(page).toMatchObject({ status: 200, url: `${origin}/connect/${session.id}` });
    const boxes = [...page.html.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)].map(([box]) => box);
    expect(boxes.map((box) => /value="([^"]*)"/.exec(box)![1])).toEqual([
      'page-1',
      'page-2',
      'page-3',
    ]);
    expect(boxes.map((box) => box.includes('disabled'))).toEqual([false, false, true]);
    expect(page.html).toContain('You are not an editor of this page.');
    expect(page.html).not.toContain('<script');
    await expectOpen(session);
  });

  test('connects two of three at once, and returns with both', async () => {
    const browser = browse();
    const session = await createSession({ return_url: returnUrl });
    const page = await logIn(browser, session);
    const ended = await browser.request(`${origin}/connect/${session.id}`, {
      method: 'POST',
      body: new URLSearchParams([
        ['state', /name="state" value="([^"]*)"/.exec(page.html)![1]!],
        ['decision', 'choose'],
        ['account', 'page-1'],
        ['account', 'page-2'],
      ]),
    });
    const { completed_social_account_ids: ids, ...after } = await readSession(session);
    expect(after).toMatchObject({ status: 'completed', completed_social_account_id: ids[0] });
    expect(ended.headers.get('Location')).toBe(
      `${returnUrl}&status=completed&session_id=${session.id}&account_id=${ids[0]}&account_id=${ids[1]}`,
    );
    expect(await listAccounts()).toEqual(['Bakery', 'Garden']);
    const events = await rest.context.db
      .selectFrom('events')
      .select(['kind', 'social_account_id'])
      .where('project_id', '=', tenant.projectId)
      .orderBy('social_account_id')
      .execute();
    expect(events).toEqual(
      ids.toSorted().map((id: string) => ({ kind: 'account.connected', social_account_id: id })),
    );
    expect((await readFlow(session)).flow).toBeNull();
    expect(network.countLiveGrants()).toBe(1);
  });

  test('is left out for a login with one account', async () => {
    network.accounts.length = 1;
    const session = await createSession();
    const page = await logIn(browse(), session);
    expect(page.html).toContain('Your account is connected.');
    expect(await listAccounts()).toEqual(['Bakery']);
    expect((await readSession(session)).completed_social_account_ids).toHaveLength(1);
  });

  test('is still there when the user comes back, and after a reload of the callback', async () => {
    const browser = browse();
    const session = await createSession();
    const callback = await findCallback(await browser.visit(session.url));
    await browser.visit(callback);
    for (const url of [`${origin}/connect/${session.id}`, callback]) {
      expect((await browser.visit(url)).html).toContain('Bakery');
    }
    expect(network.countTokenRequests()).toBe(1);
    const page = await browser.visit(callback);
    await browser.submit(page, choose('page-2'));
    expect(await listAccounts()).toEqual(['Garden']);
  });

  test('needs at least one account', async () => {
    const browser = browse();
    const session = await createSession();
    const again = await browser.submit(await logIn(browser, session), { decision: 'choose' });
    expect(again.status).toBe(422);
    expect(again.html).toContain('<p role="alert">Choose at least one account.</p>');
    await expectOpen(session);
    await browser.submit(again, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test.each([
    ['forged', ['page-1', 'page-9']],
    ['disabled', ['page-1', 'page-3']],
  ])('refuses an account that is %s, and connects none', async (_, ids) => {
    const browser = browse();
    const session = await createSession();
    const again = await browser.submit(await logIn(browser, session), choose(...ids));
    expect(again.status).toBe(409);
    expect(again.html).toContain('An account that you chose is no longer available.');
    expect(again.html).toMatch(/value="page-1"\s+checked/);
    await expectOpen(session);
  });

  test('refuses an account that is gone since the user logged in again', async () => {
    const browser = browse();
    const session = await createSession();
    const first = await logIn(browser, session);
    network.accounts = network.accounts.filter(({ id }) => id !== 'page-2');
    const link = /href="([^"]*)">Log in again/.exec(first.html)![1]!;
    const consent = await browser.visit(new URL(link, origin).href);
    const second = await browser.submit(consent, { decision: 'allow' });
    expect(second.html).not.toContain('Garden');
    const again = await browser.submit(first, choose('page-1', 'page-2'));
    expect(again.status).toBe(409);
    await expectOpen(session);
    // The first login was given up, the second is in use.
    expect(network.countLiveGrants()).toBe(1);
    await browser.submit(again, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
    expect(network.countLiveGrants()).toBe(1);
  });

  test('connects none if one belongs to another user', async () => {
    const browser = browse();
    await browser.submit(await logIn(browser, await createSession()), choose('page-2'));
    const session = await createSession({ external_user_id: 'user-2' });
    const page = await logIn(browser, session);
    const again = await browser.submit(page, choose('page-1', 'page-2'));
    expect(again.status).toBe(409);
    expect(again.html).toContain('This account is connected for another user.');
    await expectOpen(session, ['Garden']);
    await browser.submit(again, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery', 'Garden']);
  });

  test('ends the login at the network when it is canceled', async () => {
    const browser = browse();
    const session = await createSession();
    const page = await logIn(browser, session);
    expect(network.countLiveGrants()).toBe(1);
    const ended = await browser.submit(page, { decision: 'cancel' });
    expect(ended.html).toContain('Your account was not connected.');
    expect(await readSession(session)).toMatchObject({ status: 'canceled' });
    expect((await readFlow(session)).flow).toBeNull();
    expect(network.countLiveGrants()).toBe(0);
    expect(await listAccounts()).toEqual([]);
  });

  test('is out of date in a browser that did not log in', async () => {
    const session = await createSession();
    const [owner, other] = [browse(), browse()];
    const consent = await other.visit(session.url);
    const page = await logIn(owner, session);
    const state = new URL(consent.url).searchParams.get('state')!;
    const taken = await other.visit(`${origin}/connect/${session.id}`, {
      method: 'POST',
      body: new URLSearchParams({ state, decision: 'choose', account: 'page-1' }),
    });
    expect(taken.status).toBe(409);
    expect(taken.html).toContain('This step is out of date');
    await expectOpen(session);
    await owner.submit(page, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test('says why no account can be connected, with a way back', async () => {
    for (const account of network.accounts) account.problem = `${account.name} is too new.`;
    const session = await createSession();
    const page = await logIn(browse(), session);
    expect(page.status).toBe(409);
    expect(page.html).toContain('Bakery: Bakery is too new. Garden: Garden is too new.');
    expect(page.html).toContain(`href="/connect/${session.id}">Try again`);
    await expectOpen(session);
    expect(network.countLiveGrants()).toBe(0);
  });
});

describe('the consent', () => {
  test('that is denied cancels the session', async () => {
    const browser = browse();
    const session = await createSession({ return_url: returnUrl });
    const callback = await findCallback(await browser.visit(session.url), 'deny');
    const ended = await browser.request(callback);
    expect(ended.headers.get('Location')).toBe(
      `${returnUrl}&status=canceled&session_id=${session.id}`,
    );
    expect(await readSession(session)).toMatchObject({ status: 'canceled' });
    expect(network.countTokenRequests()).toBe(0);
  });

  test('without a needed permission is refused, and the permission is named', async () => {
    network.withheldScopes.add('publish');
    const session = await createSession();
    const page = await logIn(browse(), session);
    expect(page.status).toBe(409);
    expect(page.html).toContain('This login lacks these permissions: publish.');
    await expectOpen(session);
  });

  test('that reaches no account is refused', async () => {
    network.accounts.length = 0;
    const session = await createSession();
    const page = await logIn(browse(), session);
    expect(page.status).toBe(409);
    expect(page.html).toContain('This login has no account that can be connected.');
    await expectOpen(session);
  });

  test.each([
    [503, {}, 503, 'The network answered 503.'],
    [400, { error: 'invalid_grant', error_description: 'No.' }, 409, 'refused the login: No.'],
  ])('whose code gets %i can be tried again', async (status, body, shown, words) => {
    network.nextTokenAnswer = Response.json(body, { status });
    const browser = browse();
    const session = await createSession();
    const page = await logIn(browser, session);
    expect(page.status).toBe(shown);
    expect(page.html).toContain(words);
    const link = /href="([^"]*)">Try again/.exec(page.html)![1]!;
    const consent = await browser.visit(new URL(link, origin).href);
    await browser.submit(await browser.submit(consent, { decision: 'allow' }), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });
});

describe('the callback', () => {
  test('is out of date once its flow was used', async () => {
    network.nextTokenAnswer = Response.json({}, { status: 503 });
    const browser = browse();
    const session = await createSession();
    const callback = await findCallback(await browser.visit(session.url));
    expect((await browser.visit(callback)).status).toBe(503);
    const replayed = await browser.visit(callback);
    expect(replayed.status).toBe(409);
    expect(replayed.html).toContain('This step is out of date');
    expect(replayed.html).toContain(`href="/connect/${session.id}">Continue`);
    expect(network.countTokenRequests()).toBe(1);
    await expectOpen(session);
  });

  test('of an earlier begin is out of date, and the later one works', async () => {
    const browser = browse();
    const session = await createSession();
    const first = await findCallback(await browser.visit(session.url));
    const second = await findCallback(await browser.visit(`${origin}/connect/${session.id}`));
    for (const url of [first, `${first}&error=access_denied`]) {
      expect((await browser.visit(url)).status).toBe(409);
    }
    expect(network.countTokenRequests()).toBe(0);
    await browser.submit(await browser.visit(second), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test('works although another browser began since, as a mail scanner does', async () => {
    const session = await createSession();
    const [owner, ...scanners] = Array.from({ length: 5 }, () => browse());
    const callback = await findCallback(await owner!.visit(session.url));
    for (const scanner of scanners) await scanner.visit(session.url);
    const page = await owner!.visit(callback);
    for (const scanner of scanners) await scanner.visit(session.url);
    await owner!.submit(page, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
    expect(network.countLiveGrants()).toBe(1);
  });

  test('of another browser is refused before the network is asked', async () => {
    const session = await createSession();
    const [owner, foreign] = [browse(), browse()];
    const callback = await findCallback(await owner.visit(session.url));
    expect((await foreign.visit(callback)).status).toBe(403);
    expect(network.countTokenRequests()).toBe(0);
    expect((await owner.visit(callback)).html).toContain('Bakery');
  });

  test('of an expired session connects nothing', async () => {
    const browser = browse();
    const session = await createSession();
    const callback = await findCallback(await browser.visit(session.url));
    await rest.context.db
      .updateTable('connect_sessions')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('id', '=', session.id)
      .execute();
    const page = await browser.visit(callback);
    expect(page.status).toBe(410);
    expect(network.countTokenRequests()).toBe(0);
    expect(await listAccounts()).toEqual([]);
  });

  test('for a way that the network no longer has is out of date', async () => {
    const session = await createSession();
    const browser = browse();
    const callback = await findCallback(await browser.visit(session.url));
    const later = createConnectRoutes({
      ...rest.context,
      platforms: createPlatforms([withWays(formWay)]),
    });
    const headers = { Cookie: browser.cookiesFor(callback) };
    const answer = await later.request(callback, { headers });
    expect(answer.status).toBe(409);
    expect(network.countTokenRequests()).toBe(0);
  });

  test('works when the key that sealed its flow is gone: the user begins again', async () => {
    const browser = browse();
    const session = await createSession();
    const callback = await findCallback(await browser.visit(session.url));
    await rest.context.db
      .updateTable('connect_sessions')
      .set({ flow_key_id: 'gone' })
      .where('id', '=', session.id)
      .execute();
    expect((await browser.visit(callback)).status).toBe(409);
    await browser.submit(await logIn(browser, session), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });
});

const formWay: ConnectWay = {
  kind: 'form',
  fields: z.strictObject({ access_token: z.string() }),
  run: () => Promise.reject(new PlatformError('rejected', 'Not with this token.')),
};

describe('several ways', () => {
  test('link to each other', async () => {
    const session = await createSession();
    const browser = browse(withWays(consentOf(platform), formWay));
    const form = await browser.visit(session.url).then(() => {
      return browser.visit(`${origin}/connect/${session.id}?way=2`);
    });
    expect(form.html).toMatch(/name="access_token"\s+type="password"/);
    const refused = await browser.submit(form, { access_token: 'x', decision: 'connect' });
    expect(refused).toMatchObject({ status: 422, url: form.url });
    expect(refused.html).toContain('Not with this token.');
    const link = /href="([^"]*)">Log in at Sandbox instead/.exec(refused.html)![1]!;
    const consent = await browser.visit(new URL(link, origin).href);
    const page = await browser.submit(consent, { decision: 'allow' });
    expect(page.html).toContain(`?way=2">Enter credentials for Sandbox instead`);
    await browser.submit(page, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test.each(['0', '2', 'x', '1.5', '-1'])('have no way %s', async (way) => {
    const session = await createSession();
    const browser = browse();
    await browser.visit(session.url);
    const page = await browser.visit(`${origin}/connect/${session.id}?way=${way}`);
    expect(page.status).toBe(404);
    await expectOpen(session);
  });
});

describe('a consent with inputs', () => {
  const withInputs = (): Platform => {
    const way = consentOf(platform);
    return withWays({
      ...way,
      inputs: z
        .strictObject({ server: z.string().toLowerCase().meta({ title: 'Your server' }) })
        .meta({ description: 'Where you log in.' }),
      begin(request, signal) {
        const { server } = request.inputs;
        if (server === 'good.test') return way.begin(request, signal);
        const options = { field: 'server', platformCode: 'no_server' };
        const kind = server === 'down.test' ? 'unavailable' : 'rejected';
        throw new PlatformError(kind, `${server} does not answer.`, options);
      },
      complete(query, request, signal) {
        expect(request.inputs).toEqual({ server: 'good.test' });
        return way.complete(query, request, signal);
      },
    });
  };

  test('asks for them first, and hands them to both calls', async () => {
    const session = await createSession();
    const browser = browse(withInputs());
    const form = await browser.visit(session.url);
    expect(form.url).toBe(`${origin}/connect/${session.id}`);
    expect(form.html).toContain('<label for="server">Your server</label>');
    expect(form.html).toContain('Where you log in.');
    const consent = await browser.submit(form, { server: 'GOOD.test', decision: 'connect' });
    expect(consent.url).toContain(`${http.url}/authorize?`);
    const page = await browser.submit(consent, { decision: 'allow' });
    await browser.submit(page, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test.each([
    ['bad.test', 'id="server-error">bad.test does not answer.'],
    ['down.test', '<p role="alert">down.test does not answer.</p>'],
    ['', 'id="server-error">Your server is required.'],
  ])('shows in the form what is wrong with %j', async (server, words) => {
    const session = await createSession();
    const browser = browse(withInputs());
    const form = await browser.visit(session.url);
    const again = await browser.submit(form, { server, decision: 'connect' });
    expect(again.status).toBe(422);
    expect(again.html).toContain(words);
    await expectOpen(session);
  });
});

test('a consent that can not begin is shown with a way back', async () => {
  const begin: ConsentWay['begin'] = () =>
    Promise.reject(new PlatformError('unavailable', 'Down.'));
  const session = await createSession();
  const page = await browse(withWays({ ...consentOf(platform), begin })).visit(session.url);
  expect(page.status).toBe(503);
  expect(page.html).toContain(`href="/connect/${session.id}">Try again`);
});

test.each([
  ['an address', { url: 'javascript:alert(1)', flow: {} }],
  ['an address', { url: `https://a.test/${'x'.repeat(8_000)}`, flow: {} }],
  ['a flow', { url: 'https://a.test/', flow: { verifier: 'x'.repeat(20_000) } }],
])("a consent that begins with %s that can't be used is refused", async (part, begun) => {
  const session = await createSession();
  const at = withWays({ ...consentOf(platform), begin: () => Promise.resolve(begun) });
  const page = await browse(at).visit(session.url);
  expect(page.status).toBe(503);
  expect(page.html).toContain(`The network answered with ${part} that can&#39;t be used.`);
});

test('no secret of the flow is stored in clear', async () => {
  const verifiers: string[] = [];
  const way = consentOf(platform);
  const browser = browse(
    withWays({
      ...way,
      async begin(request, signal) {
        const begun = await way.begin(request, signal);
        verifiers.push(begun.flow['verifier']!);
        return begun;
      },
    }),
  );
  const session = await createSession();
  const consent = await browser.visit(session.url);
  await expectSealed(session, verifiers);
  const page = await browser.submit(consent, { decision: 'allow' });
  const secrets = [...verifiers, ...network.listSecrets()];
  // The client's, a verifier, a code and two tokens.
  expect(secrets).toHaveLength(5);
  await expectSealed(session, secrets);
  await browser.submit(page, choose('page-1', 'page-2'));
  expect((await readFlow(session)).flow).toBeNull();
  await expectNowhere(secrets);
});

async function expectSealed(session: Session, secrets: string[]): Promise<void> {
  expect((await readFlow(session)).flow!.length).toBeGreaterThan(100);
  await expectNowhere(secrets);
}

async function expectNowhere(secrets: string[]): Promise<void> {
  const { db } = rest.context;
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    db,
  );
  expect(tables.rows.length).toBeGreaterThan(12);
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.table(name)} t`.execute(db);
    const stored = rows.map(({ row }) => row).join();
    for (const secret of secrets) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
  }
}
