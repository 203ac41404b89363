// The hosted pages in a real browser without JavaScript, as wide as a phone: each way in which a consent can end.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import sharp from 'sharp';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { createBrandRoutes } from '../../../api/projects/brand-routes.ts';
import { setLogo, setProject } from '../../../schema/database/projects.ts';
import { inTransaction } from '../../../schema/database/transaction.ts';
import { hasChromium, startChromium } from '../../support/app/chromium.ts';
import { consentOf, origin, useHostedFlow } from '../../support/networks/oauth/hosted-flow.ts';

const flow = useHostedFlow();
const { rest, tenant, network, readSession, listAccounts } = flow;

const appOrigin = 'http://app.test';
const return_url = `${appOrigin}/done?tab=2`;
const logoSize = { width: 900, height: 90 };
const logo = await sharp({ create: { ...logoSize, channels: 3, background: '#000' } })
  .png()
  .toBuffer();

let answer: (request: Request) => Response | Promise<Response>;
const server = createServer((incoming, outgoing) => {
  void (async () => {
    const { method = 'GET', url, headers } = incoming;
    const body = method === 'GET' ? null : new Uint8Array(await buffer(incoming));
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const address = `http://${headers.host}${url}`;
    const response = address.startsWith(origin)
      ? await answer(new Request(address, { method, headers: sent, body }))
      : new Response('<h1>Back at the app</h1>', { headers: { 'Content-Type': 'text/html' } });
    const answered = Buffer.from(await response.arrayBuffer());
    outgoing.writeHead(response.status, [...response.headers].flat()).end(answered);
  })();
});

let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const rules = ['fanfare.test', 'app.test'].map((host) => `MAP ${host} 127.0.0.1:${port}`);
  browser = await startChromium(`--host-resolver-rules=${rules.join(', ')}`);
});
afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(async () => {
  serve(flow.platform);
  const look = { name: 'Acme', brand_color: '#ffe14d', return_origins: [appOrigin] };
  await rest.call('PATCH', '/v1/project', { key: tenant.key, body: look });
  const { db, notifier } = rest.context;
  await inTransaction(db, notifier, async (trx) => {
    await setProject(trx, tenant.projectId, { logo_media_id: 'med_logo' });
    await setLogo(trx, tenant.projectId, 'light', { png: logo, ...logoSize });
  });
});

function serve(at: Platform): void {
  const pages = flow.createPages(at);
  const brand = createBrandRoutes(flow.rest.context);
  answer = (request) =>
    new URL(request.url).pathname.startsWith('/brand/')
      ? brand.request(request)
      : pages.request(request);
}

const viewport = { width: 360, height: 740 };
const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

/** A page in a browser context, and so with a cookie jar, of its own. */
async function newPage(): Promise<Page> {
  const context = await browser.newContext({ viewport, javaScriptEnabled: false });
  contexts.push(context);
  return context.newPage();
}

/** At the page of a new session. */
async function visit(input: object = { return_url }) {
  const session = await flow.createSession(input);
  const page = await newPage();
  await page.goto(session.url);
  return { page, session };
}

const continueTo = (page: Page) => page.getByRole('button', { name: 'Continue' }).click();

/** At the network's consent page. */
async function open(input?: object) {
  const visited = await visit(input);
  await continueTo(visited.page);
  return visited;
}

const decide = (page: Page, decision: 'allow' | 'deny') =>
  page.getByRole('button', { name: decision }).click();

/** Checks what holds for every hosted page. */
async function expectHosted(page: Page, heading: string): Promise<void> {
  // The page before it may still be there.
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  await page.waitForLoadState();
  expect(await page.locator('h1').innerText()).toBe(heading);
  expect(page.url()).toContain(`${origin}/connect/`);
  expect(await page.title()).toMatch(/^(?=.*Sandbox).* – Acme$/);
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  const image = page.getByRole('img', { name: 'Acme' });
  expect((await image.boundingBox())!.width).toBeGreaterThan(300);
  expect(await page.evaluate('document.images[0].naturalWidth')).toBe(900);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  const html = await page.content();
  expect(html).not.toContain('<script');
  await expectNoBarriers(html);
}

/** Pages of the same look are checked once. */
const checked = new Set<string>();

/** In another page, since axe needs JavaScript. */
async function expectNoBarriers(html: string): Promise<void> {
  const look = html.replaceAll(/(value|href|action)="[^"]*"/g, '');
  if (checked.has(look)) return;
  checked.add(look);
  const context = await browser.newContext({ viewport });
  contexts.push(context);
  const page = await context.newPage();
  await page.setContent(html);
  await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The other rules don't depend on the colors.
    const colors = '{ runOnly: ["color-contrast", "link-in-text-block"] }';
    const rules = colorScheme === 'dark' ? colors : '';
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${rules})`);
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = grave.map(({ id, nodes }) => `${id} at ${nodes[0]!.html}`);
    expect(found, colorScheme).toEqual([]);
  }
}

async function expectReturned(page: Page, status: string, id: string): Promise<string[]> {
  await page.getByRole('heading', { name: 'Back at the app' }).waitFor();
  const { href, searchParams } = new URL(page.url());
  expect(href.startsWith(`${return_url}&status=${status}&session_id=${id}`)).toBe(true);
  return searchParams.getAll('account_id');
}

const focusedLabel =
  'document.activeElement.labels?.[0]?.innerText ?? document.activeElement.innerText ?? ""';

/** Presses Tab until the control with this name has the focus, which is visible. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('Tab');
    const label = await page.evaluate<string>(focusedLabel);
    if (label.trim() !== name) continue;
    if (page.url().startsWith(origin)) {
      const outline = 'getComputedStyle(document.activeElement).outlineWidth';
      expect(await page.evaluate(outline)).toBe('3px');
    }
    return;
  }
  throw new Error(`No control has the name ${name}.`);
}

const failed = 'Your Sandbox account could not be connected';

describe.skipIf(!hasChromium)('a consent', () => {
  test('ends at the app, by the keyboard alone, if the login has one account', async () => {
    network.accounts.length = 1;
    const { page, session } = await visit();
    await expectHosted(page, 'Connect your Sandbox account');
    await page.getByText('Acme asks to post to Sandbox on your behalf.').waitFor();
    await page.getByText('You log in at Sandbox, and allow it there.').waitFor();
    expect(await page.locator('input:not([type=hidden])').count()).toBe(0);
    await tabTo(page, 'Continue');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'allow' }).waitFor();
    await tabTo(page, 'allow');
    await page.keyboard.press('Enter');
    const ids = await expectReturned(page, 'completed', session.id);
    expect((await readSession(session)).completed_social_account_ids).toEqual(ids);
    await page.goto(session.url);
    await expectHosted(page, 'Connected to Sandbox');
    expect(await page.getByRole('listitem').allInnerTexts()).toEqual(['Bakery']);
    await tabTo(page, 'Return to Acme');
    await page.keyboard.press('Enter');
    expect(await expectReturned(page, 'completed', session.id)).toEqual(ids);
  });

  test('ends after a choice, by the keyboard alone, if the login has several accounts', async () => {
    const { page, session } = await open();
    await decide(page, 'allow');
    await expectHosted(page, 'Choose your Sandbox accounts');
    await tabTo(page, 'Connect');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.title()).toMatch(/^Error: /);
    await tabTo(page, 'Garden\nPage');
    await page.keyboard.press('Space');
    await tabTo(page, 'Connect');
    await page.keyboard.press('Enter');
    expect(await expectReturned(page, 'completed', session.id)).toHaveLength(1);
    expect(await listAccounts()).toEqual(['Garden']);
  });

  test('can be declined before it begins', async () => {
    const { page, session } = await visit();
    await tabTo(page, 'Cancel');
    await page.keyboard.press('Enter');
    expect(await expectReturned(page, 'canceled', session.id)).toEqual([]);
  });

  test('ends at the app if it is denied at the network', async () => {
    const { page, session } = await open();
    await decide(page, 'deny');
    expect(await expectReturned(page, 'canceled', session.id)).toEqual([]);
  });

  test('ends on our page if the user cancels on that page and there is no return_url', async () => {
    const { page, session } = await open({});
    await decide(page, 'allow');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expectHosted(page, 'Not connected to Sandbox');
    expect(await page.getByRole('link').count()).toBe(0);
    expect(await readSession(session)).toMatchObject({ status: 'canceled' });
    expect(network.countLiveGrants()).toBe(0);
  });

  test('leads back to the app if the session has expired', async () => {
    const { page, session } = await open();
    await rest.context.db
      .updateTable('connect_sessions')
      .set({ expires_at: new Date(0) })
      .where('id', '=', session.id)
      .execute();
    await decide(page, 'allow');
    await expectHosted(page, 'This link has expired');
    await page.getByRole('link', { name: 'Return to Acme' }).click();
    await expectReturned(page, 'expired', session.id);
  });

  test('can be continued if its callback is replayed', async () => {
    network.nextTokenAnswer = Response.json({}, { status: 503 });
    const { page } = await open();
    await decide(page, 'allow');
    await expectHosted(page, failed);
    await page.reload();
    await expectHosted(page, 'This step is out of date');
    await page.getByRole('link', { name: 'Continue' }).click();
    await continueTo(page);
    await decide(page, 'allow');
    await expectHosted(page, 'Choose your Sandbox accounts');
    expect(network.countTokenRequests()).toBe(2);
  });

  test('is useless in another browser, which gets no link back to the app', async () => {
    const { page } = await open();
    const callback = await flow.findCallback({ url: page.url(), status: 200, html: '' });
    const foreign = await newPage();
    await foreign.goto(callback);
    await expectHosted(foreign, 'This page was opened in another browser');
    expect(await foreign.getByRole('link').count()).toBe(0);
    await page.goto(callback);
    await expectHosted(page, 'Choose your Sandbox accounts');
  });

  test('names a missing permission, and can be given again', async () => {
    network.withheldScopes.add('publish');
    const { page, session } = await open();
    await decide(page, 'allow');
    await expectHosted(page, failed);
    const text = 'This login lacks these permissions: publish. Log in again and allow them.';
    await page.getByText(text).waitFor();
    await page.getByRole('link', { name: 'Return to Acme' }).click();
    await expectReturned(page, 'pending', session.id);
    network.withheldScopes.clear();
    await page.goto(`${origin}/connect/${session.id}`);
    await continueTo(page);
    await decide(page, 'allow');
    await expectHosted(page, 'Choose your Sandbox accounts');
  });

  test('can be tried again if the token endpoint fails', async () => {
    network.nextTokenAnswer = Response.json({}, { status: 500 });
    const { page, session } = await open();
    await decide(page, 'allow');
    await expectHosted(page, failed);
    await page.getByRole('link', { name: 'Try again' }).click();
    await continueTo(page);
    await decide(page, 'allow');
    await page.getByLabel('Bakery').check();
    await page.getByRole('button', { name: 'Connect' }).click();
    await expectReturned(page, 'completed', session.id);
  });

  test('is refused for an account of another user', async () => {
    network.accounts.length = 1;
    const first = await open({});
    await decide(first.page, 'allow');
    await expectHosted(first.page, 'Connected to Sandbox');
    const { page, session } = await open({ external_user_id: 'user-2', return_url });
    await decide(page, 'allow');
    await expectHosted(page, failed);
    await page.getByText('The account Bakery is connected for another user.').waitFor();
    expect(await readSession(session)).toMatchObject({ status: 'pending' });
  });

  test('asks again for a server that does not answer, and names the known account', async () => {
    serve(withServer());
    const { page, session } = await visit();
    await expectHosted(page, 'Connect your Sandbox account');
    await page.getByLabel('Your server').fill(`${'bad'.repeat(15)}.test`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
    await expectHosted(page, 'Connect your Sandbox account');
    await tabTo(page, `${'bad'.repeat(15)}.test does not answer.`);
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#server');
    await page.getByLabel('Your server').fill('good.test');
    await page.keyboard.press('Enter');
    await decide(page, 'allow');
    await page.getByLabel('Bakery').check();
    await page.getByRole('button', { name: 'Connect' }).click();
    const [social_account_id] = await expectReturned(page, 'completed', session.id);
    const again = { platform: undefined, external_user_id: undefined, social_account_id };
    await page.goto((await flow.createSession(again)).url);
    await expectHosted(page, 'Reconnect your Sandbox account');
    await page.getByText('again, as Bakery.').waitFor();
  });
});

/** The network asks for a server before its consent. */
function withServer(): Platform {
  const method = consentOf(flow.platform);
  return flow.withMethods({
    ...method,
    inputs: z.strictObject({ server: z.string().meta({ title: 'Your server' }) }),
    begin(request, signal) {
      const { server } = request.inputs;
      if (server === 'good.test') return method.begin(request, signal);
      throw new PlatformError('rejected', `${server} does not answer.`, { field: 'server' });
    },
  });
}
