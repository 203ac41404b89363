// The hosted flow belongs to the browser that continues it: real HTTP, one cookie jar per browser.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import { createVault } from '../../../schema/database/vault.ts';
import { useApp } from '../../support/app/app.ts';
import { createBrowser, type Page } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import { createTestLog } from '../../support/log.ts';

const vaultKey = randomBytes(32);

const app = useApp({ roles: { api: true, worker: false }, vaultKey });

interface Session {
  id: string;
  url: string;
  status: string;
}

async function createSession(input: Record<string, unknown> = {}): Promise<Session> {
  const { body } = await app.api.post('/v1/connect/sessions', {
    platform: 'sandbox',
    external_user_id: 'user-1',
    ...input,
  });
  return body.data;
}

async function readStatus({ id }: Session): Promise<string> {
  return (await app.api.get(`/v1/connect/sessions/${id}`)).body.data.status;
}

const tokenOf = ({ url }: Session) => new URL(url).searchParams.get('token')!;
const pageOf = ({ id }: Session) => `${app.url}/connect/${id}`;
const allow = { handle: 'ada', decision: 'allow' };

/** The address to which the network's consent page sends a user who agrees. */
async function findCallback(page: Page): Promise<string> {
  const { searchParams } = new URL(page.url);
  const answer = await createBrowser().request(`${app.url}/sandbox/consent`, {
    method: 'POST',
    body: new URLSearchParams({ ...Object.fromEntries(searchParams), ...allow }),
  });
  return answer.headers.get('Location')!;
}

describe('the link', () => {
  test('sets a cookie for the session and redirects to the page without the token', async () => {
    const session = await createSession();
    const answer = await fetch(session.url, { redirect: 'manual' });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('Location')).toBe(`/connect/${session.id}`);
    expect(answer.headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    const [cookie, ...others] = answer.headers.getSetCookie();
    expect(others).toEqual([]);
    expect(cookie).toMatch(new RegExp(`^connect_${session.id}=[\\w.-]{40,200};`));
    expect(cookie!.split('; ').slice(1).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=1800',
      'Path=/connect',
      'SameSite=Lax',
    ]);
    expect(cookie).not.toContain(tokenOf(session));
  });

  test('keeps the cookie of a browser that opens it again, so both tabs work', async () => {
    const session = await createSession();
    const browser = createBrowser();
    const first = await beginConsent(browser, session.url);
    const answer = await browser.request(session.url);
    expect([answer.status, answer.headers.get('Set-Cookie')]).toEqual([302, null]);
    await browser.visit(session.url);
    expect((await browser.submit(first, allow)).html).toContain('Your account is connected.');
  });

  test('replaces a cookie that is not valid', async () => {
    const session = await createSession();
    const headers = { Cookie: `connect_${session.id}=forged` };
    const answer = await fetch(session.url, { headers, redirect: 'manual' });
    expect(answer.headers.get('Set-Cookie')).toContain(`connect_${session.id}=`);
  });

  test('sets a cookie that no other host can set if clients see https', async () => {
    const { id, url } = await createSession();
    const context = { ...app.context, publicUrl: 'https://fanfare.test' };
    const routes = createConnectRoutes(context);
    const answer = await routes.request(url);
    const [cookie, ...attributes] = answer.headers.get('Set-Cookie')!.split('; ');
    expect(cookie).toMatch(new RegExp(`^__Host-connect_${id}=`));
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'Secure']));
    expect(attributes.join()).not.toContain('Domain');
    const page = (name: string) =>
      routes.request(`/connect/${id}`, { headers: { Cookie: cookie!.replace('__Host-', name) } });
    expect((await page('__Host-')).status).toBe(200);
    expect((await page('')).status).toBe(403);
  });

  test('gives each browser a cookie and a state of its own', async () => {
    const session = await createSession();
    const stateOf = ({ url }: Page) => new URL(url).searchParams.get('state');
    const pages = [
      await beginConsent(createBrowser(), session.url),
      await beginConsent(createBrowser(), session.url),
    ];
    expect(stateOf(pages[0]!)).toMatch(new RegExp(`^${session.id}\\.[\\w-]{43}$`));
    expect(stateOf(pages[0]!)).not.toBe(stateOf(pages[1]!));
  });

  test.each([
    ['HEAD', {}],
    ['GET', { 'Sec-Purpose': 'prefetch;prerender' }],
    ['GET', { 'User-Agent': 'mail scanner' }],
  ])('changes nothing when it is loaded with %s and %j', async (method, headers) => {
    const session = await createSession();
    const readRow = () =>
      app.context.db
        .selectFrom('connect_sessions')
        .selectAll()
        .where('id', '=', session.id)
        .executeTakeFirstOrThrow();
    const before = await readRow();
    const scanner = createBrowser();
    expect((await scanner.request(session.url, { method, headers })).status).toBe(302);
    expect(await readRow()).toEqual(before);
    const user = createBrowser();
    await user.submit(await beginConsent(user, session.url), allow);
    expect(await readStatus(session)).toBe('completed');
  });
});

describe('the page', () => {
  test('is a plain 403 in another browser, and the session stays open', async () => {
    const session = await createSession({ platform: 'bluesky' });
    const owner = createBrowser();
    expect((await owner.visit(session.url)).status).toBe(200);
    const other = createBrowser();
    const page = await other.visit(pageOf(session));
    expect(page.status).toBe(403);
    expect(page.html).toContain('another browser');
    expect(await readStatus(session)).toBe('pending');
  });

  test('is a 403 for a forged cookie and for the cookie of another session', async () => {
    const [mine, theirs] = [await createSession(), await createSession()];
    const link = await fetch(mine.url, { redirect: 'manual' });
    const value = /=([^;]+);/.exec(link.headers.get('Set-Cookie')!)![1]!;
    for (const forged of [value, 'test.AAAA', 'unknown.AAAA', 'x', '%00', `${value}A`]) {
      const answer = await fetch(pageOf(theirs), {
        headers: { Cookie: `connect_${theirs.id}=${forged}` },
        redirect: 'manual',
      });
      expect(answer.status, forged).toBe(403);
    }
  });

  test('works for two sessions in one browser at once', async () => {
    const sessions = [await createSession(), await createSession()];
    const browser = createBrowser();
    const pages = [
      await beginConsent(browser, sessions[0]!.url),
      await beginConsent(browser, sessions[1]!.url),
    ];
    expect(browser.cookiesFor(pageOf(sessions[0]!)).split('; ')).toHaveLength(2);
    for (const page of pages) await browser.submit(page, allow);
    expect(await Promise.all(sessions.map(readStatus))).toEqual(['completed', 'completed']);
  });
});

describe('the callback', () => {
  test('is a 403 in another browser, and the browser that began can still finish', async () => {
    const session = await createSession();
    const owner = createBrowser();
    const callback = await findCallback(await beginConsent(owner, session.url));
    const victim = createBrowser();
    const refused = await victim.visit(callback);
    expect(refused.status).toBe(403);
    expect(refused.html).toContain('another browser');
    expect(await readStatus(session)).toBe('pending');
    expect((await owner.visit(callback)).html).toContain('Your account is connected.');
    expect(await readStatus(session)).toBe('completed');
  });

  test('is a 403 in a browser that loaded the link but did not begin this consent', async () => {
    const session = await createSession();
    const attacker = createBrowser();
    const callback = await findCallback(await beginConsent(attacker, session.url));
    const victim = createBrowser();
    await victim.visit(session.url);
    expect((await victim.visit(callback)).status).toBe(403);
    expect(await readStatus(session)).toBe('pending');
  });

  test('may reach another process, even a process that seals with a newer key', async () => {
    const session = await createSession();
    const owner = createBrowser();
    const callback = await findCallback(await beginConsent(owner, session.url));
    const keys = { newer: randomBytes(32), test: vaultKey };
    const vault = createVault(new Map(Object.entries(keys)), 'newer');
    const other = createConnectRoutes({ ...app.context, vault });
    const cookie = owner.cookiesFor(callback);
    const answer = await other.request(callback, { headers: { Cookie: cookie } });
    expect(await answer.text()).toContain('Your account is connected.');
  });

  test("does not cancel another browser's session", async () => {
    const session = await createSession();
    const page = await beginConsent(createBrowser(), session.url);
    const state = new URL(page.url).searchParams.get('state')!;
    const canceled = new URL(`${app.url}/connect/callback`);
    canceled.search = new URLSearchParams({ state, error: 'access_denied' }).toString();
    expect((await createBrowser().visit(canceled.href)).status).toBe(403);
    expect(await readStatus(session)).toBe('pending');
  });

  test('completes the session of the browser that comes first', async () => {
    const session = await createSession();
    const [one, two] = [createBrowser(), createBrowser()];
    const pages = [await beginConsent(one, session.url), await beginConsent(two, session.url)];
    await two.submit(pages[1]!, { ...allow, handle: 'second' });
    expect(await readStatus(session)).toBe('completed');
    const late = await one.submit(pages[0]!, { ...allow, handle: 'first' });
    expect(late.html).toContain('Your account is connected.');
    const { body } = await app.api.get('/v1/accounts');
    const names = body.data.map((account: { account_name: string }) => account.account_name);
    expect(names).toContain('second');
    expect(names).not.toContain('first');
  });
});

describe('the form', () => {
  test('is a 403 in another browser, with and without the state of the page', async () => {
    const session = await createSession({ platform: 'bluesky' });
    const page = await createBrowser().visit(session.url);
    for (const values of [{ decision: 'cancel' }, { decision: 'cancel', state: '' }]) {
      expect((await createBrowser().submit(page, values)).status).toBe(403);
    }
    expect(await readStatus(session)).toBe('pending');
  });

  test('is a 403 when another site posts to it', async () => {
    const session = await createSession({ platform: 'bluesky' });
    const browser = createBrowser();
    await browser.visit(session.url);
    const forged = await browser.visit(pageOf(session), {
      method: 'POST',
      body: new URLSearchParams({ decision: 'cancel' }),
    });
    expect(forged.status).toBe(403);
    expect(await readStatus(session)).toBe('pending');
  });

  test('shows no token, and its own browser can send it', async () => {
    const session = await createSession({ platform: 'bluesky' });
    const browser = createBrowser();
    const page = await browser.visit(session.url);
    expect(page.url).toBe(pageOf(session));
    expect(page.html).not.toContain(tokenOf(session));
    expect((await browser.submit(page, { decision: 'cancel' })).status).toBe(200);
    expect(await readStatus(session)).toBe('canceled');
  });
});

describe('the log', () => {
  test('shows neither the token nor the cookie when a page fails', async () => {
    const { log, lines } = createTestLog('debug');
    const session = await createSession();
    const link = await fetch(session.url, { redirect: 'manual' });
    const cookie = link.headers.get('Set-Cookie')!.split(';')[0]!;
    const platforms = new Map();
    const pages = createConnectRoutes({ ...app.context, log, platforms });
    expect((await pages.request(session.url)).status).toBe(302);
    const failed = await pages.request(pageOf(session), { headers: { Cookie: cookie } });
    expect(failed.status).toBe(500);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(tokenOf(session));
    expect(JSON.stringify(lines)).not.toContain(cookie.split('=')[1]);
  });
});
