// A consent at a network with OAuth 2: its refusals, its inputs, other connection methods beside it, and its secrets.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { ConsentMethod, Platform } from '../../../activities/platforms/platform.ts';
import { beginConsent } from '../../support/app/consent.ts';
import {
  choose,
  consentOf,
  formMethod,
  origin,
  returnUrl,
  useHostedFlow,
  type Session,
} from '../../support/networks/oauth/hosted-flow.ts';

const {
  rest,
  network,
  http,
  platform,
  withMethods,
  browse,
  createSession,
  readSession,
  listAccounts,
  readFlow,
  findCallback,
  logIn,
  expectOpen,
} = useHostedFlow();

describe('the page before the consent', () => {
  test('says which project asks for which permissions, and begins no consent by itself', async () => {
    const session = await createSession();
    const browser = browse();
    const page = await browser.visit(session.url);
    expect(page).toMatchObject({ status: 200, url: `${origin}/connect/${session.id}` });
    expect(page.html).toContain('<h1>Connect your Sandbox account</h1>');
    const text = page.html.replaceAll(/\s+/g, ' ');
    expect(text).toContain('<strong>Test</strong> asks to post to Sandbox on your behalf.');
    expect(text).toContain('You log in at Sandbox, and allow it there.');
    expect((await readFlow(session)).flow).toBeNull();
    const consent = await browser.submit(page, { decision: 'connect' });
    expect(consent.url).toContain(`${http.url}/authorize?`);
    expect((await readFlow(session)).flow).not.toBeNull();
  });

  test('answers HEAD as it answers GET, and changes nothing', async () => {
    const session = await createSession();
    const browser = browse();
    const { url } = await browser.visit(session.url);
    const answer = await browser.request(url, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await readFlow(session)).flow).toBeNull();
    await expectOpen(session);
  });

  test('says what may have gone wrong if the browser comes back without an answer', async () => {
    const deadEnd = (productName: string) => `Ask ${productName}.`;
    const at = withMethods({ ...consentOf(platform), deadEnd });
    const session = await createSession();
    const [browser, other] = [browse(at), browse(at)];
    const read = async (by = browser) => (await by.visit(session.url)).html;
    expect(await read()).not.toContain('Ask ');
    const consent = await beginConsent(browser, session.url);
    expect(await read()).toContain('<p>Ask Test.</p>');
    expect(await read(other)).not.toContain('Ask ');
    await browser.submit(consent, { decision: 'allow' });
    expect(await read()).not.toContain('Ask ');
  });

  test('begins a consent only with its own state', async () => {
    const session = await createSession();
    const browser = browse();
    const { url } = await browser.visit(session.url);
    const body = new URLSearchParams({ decision: 'connect' });
    expect((await browser.request(url, { method: 'POST', body })).status).toBe(403);
    expect((await readFlow(session)).flow).toBeNull();
  });
});

describe('the consent', () => {
  test('cancels the session if it is denied', async () => {
    const browser = browse();
    const session = await createSession({ return_url: returnUrl });
    const callback = await findCallback(await beginConsent(browser, session.url), 'deny');
    const ended = await browser.request(callback);
    expect(ended.headers.get('Location')).toBe(
      `${returnUrl}&status=canceled&session_id=${session.id}`,
    );
    expect(await readSession(session)).toMatchObject({ status: 'canceled' });
    expect(network.countTokenRequests()).toBe(0);
  });

  test('is refused with the name of the permission that it lacks', async () => {
    network.withheldScopes.add('publish');
    const session = await createSession();
    const page = await logIn(browse(), session);
    expect(page.status).toBe(409);
    expect(page.html).toContain('This login lacks these permissions: publish.');
    expect(network.countLiveGrants()).toBe(0);
    await expectOpen(session);
  });

  test('is refused if it reaches no account', async () => {
    network.accounts.length = 0;
    const session = await createSession();
    const page = await logIn(browse(), session);
    expect(page.status).toBe(409);
    expect(page.html).toContain('This login has no account that can be connected.');
    expect(network.countLiveGrants()).toBe(0);
    await expectOpen(session);
  });

  test.each([
    [503, {}, 503, 'The network failed: HTTP 503'],
    [400, { error: 'invalid_grant', error_description: 'No.' }, 409, 'invalid_grant: No.'],
  ])('can be tried again if its code gets %i', async (status, body, shown, words) => {
    network.nextTokenAnswer = Response.json(body, { status });
    const browser = browse();
    const session = await createSession();
    const page = await logIn(browser, session);
    expect(page.status).toBe(shown);
    expect(page.html).toContain(words);
    const link = /href="([^"]*)">Try again/.exec(page.html)![1]!;
    const consent = await beginConsent(browser, new URL(link, origin).href);
    await browser.submit(await browser.submit(consent, { decision: 'allow' }), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });
});

describe('several connection methods', () => {
  test('link to each other', async () => {
    const session = await createSession();
    const browser = browse(withMethods(consentOf(platform), formMethod));
    const form = await browser.visit(session.url).then(() => {
      return browser.visit(`${origin}/connect/${session.id}?way=2`);
    });
    expect(form.html).toMatch(/name="access_token"\s+type="password"/);
    const refused = await browser.submit(form, { access_token: 'x', decision: 'connect' });
    expect(refused).toMatchObject({ status: 422, url: form.url });
    expect(refused.html).toContain('Not with this token.');
    const link = /href="([^"]*)">Log in at Sandbox instead/.exec(refused.html)![1]!;
    const consent = await beginConsent(browser, new URL(link, origin).href);
    const page = await browser.submit(consent, { decision: 'allow' });
    expect(page.html).toContain(`?way=2">Enter your access token instead`);
    await browser.submit(page, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test.each(['0', '2', 'x', '1.5', '-1'])(
    "a connection method that doesn't exist is 404: %s",
    async (number) => {
      const session = await createSession();
      const browser = browse();
      await browser.visit(session.url);
      const page = await browser.visit(`${origin}/connect/${session.id}?way=${number}`);
      expect(page.status).toBe(404);
      await expectOpen(session);
    },
  );
});

describe('a consent with inputs', () => {
  const withInputs = (): Platform => {
    const method = consentOf(platform);
    return withMethods({
      ...method,
      inputs: z
        .strictObject({ server: z.string().toLowerCase().meta({ title: 'Your server' }) })
        .meta({ description: 'Where you log in.' }),
      begin(request, signal) {
        const { server } = request.inputs;
        if (server === 'good.test') return method.begin(request, signal);
        const options = { field: 'server', platformCode: 'no_server' };
        const kind = server === 'down.test' ? 'unavailable' : 'rejected';
        throw new PlatformError(kind, `${server} does not answer.`, options);
      },
      complete(query, request, signal) {
        expect(request.inputs).toEqual({ server: 'good.test' });
        return method.complete(query, request, signal);
      },
    });
  };

  test('asks for the inputs first, and passes them to both calls', async () => {
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

test('a consent that cannot begin says why, and can be tried again', async () => {
  const begin: ConsentMethod['begin'] = () =>
    Promise.reject(new PlatformError('unavailable', 'Down.'));
  const session = await createSession();
  const browser = browse(withMethods({ ...consentOf(platform), begin }));
  const page = await beginConsent(browser, session.url);
  expect(page.status).toBe(422);
  expect(page.html).toContain('<p role="alert">Down.</p>');
  expect(page.html).toMatch(/>\s*Continue\s*<\/button>/);
});

test.each([
  ['an address', { url: 'javascript:alert(1)', flow: {} }],
  ['an address', { url: `https://a.test/${'x'.repeat(8_000)}`, flow: {} }],
  ['a flow', { url: 'https://a.test/', flow: { verifier: 'x'.repeat(40_000) } }],
])("a consent that begins with %s that can't be used is refused", async (part, begun) => {
  const session = await createSession();
  const at = withMethods({ ...consentOf(platform), begin: () => Promise.resolve(begun) });
  const page = await beginConsent(browse(at), session.url);
  expect(page.status).toBe(422);
  expect(page.html).toContain(`The network answered with ${part} that can&#39;t be used.`);
});

test('a consent knows the name of the project', async () => {
  const names: string[] = [];
  const method = consentOf(platform);
  const browser = browse(
    withMethods({
      ...method,
      begin(request, signal) {
        names.push(request.productName);
        return method.begin(request, signal);
      },
      complete(query, request, signal) {
        names.push(request.productName);
        return method.complete(query, request, signal);
      },
    }),
  );
  await logIn(browser, await createSession());
  expect(names).toEqual(['Test', 'Test']);
});

test('no secret of the flow is stored in plain text', async () => {
  const verifiers: string[] = [];
  const method = consentOf(platform);
  const browser = browse(
    withMethods({
      ...method,
      async begin(request, signal) {
        const begun = await method.begin(request, signal);
        verifiers.push(begun.flow['verifier']!);
        return begun;
      },
    }),
  );
  const session = await createSession();
  const consent = await beginConsent(browser, session.url);
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
