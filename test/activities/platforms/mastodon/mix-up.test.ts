// A consent that begins at one server and comes back from another: RFC 9700, section 4.4.
import { expect, onTestFinished, test } from 'vitest';
import { useApp } from '../../../support/app/app.ts';
import { createBrowser } from '../../../support/app/browser.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import { startFaultyServer } from '../../../support/networks/faulty-server.ts';
import { createTestLog } from '../../../support/log.ts';
import { createMastodonServer } from '../../../support/networks/mastodon/server.ts';

const { log, lines } = createTestLog('debug');
const app = useApp({ roles: { api: true, worker: false }, log });

async function start() {
  const network = createMastodonServer();
  const { url, close } = await startFaultyServer(network, createSwitchboard());
  onTestFinished(close);
  return { network, url, host: new URL(url).host };
}

/** The consent page of the server, and the browser that it was opened in. */
async function begin(server: string) {
  const body = { platform: 'mastodon', external_user_id: 'user-1' };
  const session = (await app.api.post('/v1/connect/sessions', body)).body.data;
  const browser = createBrowser();
  const form = await browser.visit(session.url);
  const consent = await browser.submit(form, { server, decision: 'connect' });
  return { id: session.id as string, browser, query: new URL(consent.url).searchParams };
}

/** Allows the request at the server, and returns the address that it sends the user to. */
async function allow(server: string, query: URLSearchParams): Promise<string> {
  const answer = await fetch(`${server}/oauth/authorize`, {
    method: 'POST',
    body: new URLSearchParams([...query, ['decision', 'allow']]),
    redirect: 'manual',
  });
  return answer.headers.get('location')!;
}

const readStatus = async (id: string) =>
  (await app.api.get(`/v1/connect/sessions/${id}`)).body.data.status;

test('each server has a callback URL of its own, in its registered app and in each consent', async () => {
  const [one, two] = [await start(), await start()];
  for (const { url, network, host } of [one, two]) {
    const { query } = await begin(url);
    const callback = `${app.url}/connect/callback/mastodon/${encodeURIComponent(host)}`;
    expect(query.get('redirect_uri')).toBe(callback);
    expect(network.listApps()).toMatchObject([{ redirect_uri: callback }]);
  }
});

test('the code of an honest server never reaches the hostile server that asked for it', async () => {
  const [honest, hostile] = [await start(), await start()];
  const own = await begin(honest.url);
  const { id, browser, query } = await begin(hostile.url);
  // The hostile server sends the browser on, with its own state and challenge.
  const redirected = new URLSearchParams(own.query);
  for (const name of ['state', 'code_challenge']) redirected.set(name, query.get(name)!);
  const callback = await allow(honest.url, redirected);
  expect(callback).toContain('code=');
  const refused = await browser.visit(callback);
  expect(refused.status).toBe(409);
  expect(refused.html).toContain('A different server answered than the one where you began.');
  expect(refused.html).toContain('Try again');
  for (const { network } of [honest, hostile]) {
    expect(network.calls.filter((call) => call === '/oauth/token')).toEqual([]);
  }
  expect(await readStatus(id)).toBe('pending');
  const logged = JSON.stringify(lines);
  expect(logged).toContain('connect_session created');
  const { searchParams } = new URL(callback);
  for (const name of ['code', 'state']) expect(logged).not.toContain(searchParams.get(name));
});

test.each([
  ['the callback URL of other networks', () => '/connect/callback'],
  ['a server that does not exist', () => '/connect/callback/mastodon/other.example'],
  ['another network', (host: string) => `/connect/callback/bluesky/${host}`],
])('a consent that comes back to %s is refused, even if it was denied', async (_, pathOf) => {
  const { url, host } = await start();
  for (const end of ['code=a-code', 'error=access_denied']) {
    const { id, browser, query } = await begin(url);
    const state = encodeURIComponent(query.get('state')!);
    const page = await browser.visit(`${app.url}${pathOf(host)}?state=${state}&${end}`);
    expect(page.status).toBe(409);
    expect(await readStatus(id)).toBe('pending');
  }
});

test('the callback of a server has the headers of every hosted page', async () => {
  const { url } = await start();
  const { browser, query } = await begin(url);
  const denied = new URL(query.get('redirect_uri')!);
  denied.search = new URLSearchParams({
    state: query.get('state')!,
    error: 'access_denied',
  }).toString();
  for (const page of [await fetch(denied), await browser.request(denied.href)]) {
    expect(page.headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(page.headers.get('Cache-Control')).toBe('no-store');
    expect(page.headers.get('X-Frame-Options')).toBe('DENY');
  }
});
