// Why an account of Facebook or Instagram can't be connected, as its user reads it in a real browser. Their simulators
// answer, and the same link works again.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { hasChromium, startChromium } from '../../support/app/chromium.ts';
import type { SimulatedPage } from '../../support/networks/facebook/logins.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { startFaultyServer, type FaultyServer } from '../../support/networks/faulty-server.ts';
import { instagramVariables } from '../../support/networks/instagram/connected.ts';
import { pageOf } from '../../support/networks/instagram/facebook-side.ts';
import { InstagramServer } from '../../support/networks/instagram/server.ts';

/** Its login at Facebook has the pages of both networks. */
const meta = new InstagramServer();
const { logins } = meta.facebook;
const facebookClient = {
  FANFARE_FACEBOOK_CLIENT_ID: logins.client.id,
  FANFARE_FACEBOOK_CLIENT_SECRET: logins.client.secret,
};
const instagramClient = {
  FANFARE_INSTAGRAM_CLIENT_ID: meta.logins.client.id,
  FANFARE_INSTAGRAM_CLIENT_SECRET: meta.logins.client.secret,
};

let server: FaultyServer;
let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  server = await startFaultyServer(meta, createSwitchboard());
  const facebookUrl = `${server.url}/graph.facebook.com`;
  const env = {
    ...instagramVariables(server.url),
    ...instagramClient,
    FANFARE_FACEBOOK_API_URL: facebookUrl,
    FANFARE_FACEBOOK_VIDEO_URL: facebookUrl,
    FANFARE_FACEBOOK_LOGIN_URL: `${server.url}/www.facebook.com`,
    ...facebookClient,
  };
  [app, browser] = await Promise.all([
    startApp({ env, roles: { api: true, worker: false } }),
    startChromium(),
  ]);
  await app.api.patch('/v1/project', { name: 'Acme' });
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await server?.close();
});

/** What the user, or an administrator, does about everything below. */
function repair(): void {
  share(pageOf(meta.user.id));
  logins.businesses.length = 0;
  logins.withheldScopes.clear();
  logins.postablePages = undefined;
  logins.listSize = 100;
  logins.development = undefined;
  meta.logins.isInDevelopment = false;
  meta.accountType = 'BUSINESS';
}
beforeEach(repair);

function share(...pages: SimulatedPage[]): void {
  logins.pages.splice(0, Infinity, ...pages);
}

const manyPages = (count: number, change: Partial<SimulatedPage> = {}) =>
  Array.from({ length: count }, (_, i) =>
    pageOf('0', { id: String(1_001 + i), name: `Page ${i + 1}`, ...change }),
  );

/** The page is only in the list of a business. */
function shareOfBusiness(change: Partial<SimulatedPage> = {}): void {
  logins.businesses.push({ id: '77', name: 'Brass Holding' });
  share(pageOf(meta.user.id, { business: '77', ...change }));
}

let context: BrowserContext;
let page: Page;
beforeEach(async () => {
  if (!hasChromium) return;
  context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    javaScriptEnabled: false,
  });
  page = await context.newPage();
});
afterEach(() => context?.close());

type Place = 'Facebook' | 'Instagram' | 'Instagram with Facebook';

interface Session {
  id: string;
  url: string;
}

const titleOf = (place: Place) => (place === 'Facebook' ? 'Facebook' : 'Instagram');

async function createSession(place: Place): Promise<Session> {
  const platform = titleOf(place).toLowerCase();
  const body = { platform, external_user_id: 'user-1' };
  return (await app.api.post('/v1/connect/sessions', body)).body.data;
}

const readSession = async ({ id }: Session) =>
  (await app.api.get(`/v1/connect/sessions/${id}`)).body.data;

/** From the link to the network. */
async function begin({ url }: Session, place: Place): Promise<void> {
  await page.goto(url);
  if (place === 'Instagram with Facebook') {
    await page.getByRole('link', { name: 'Log in at Facebook instead' }).click();
  }
  await press(place === 'Instagram' ? 'Continue' : 'Continue with Facebook');
}

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

const expectHeading = (name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

const expectText = (text: string) => page.getByText(text).waitFor();

/** The link that failed before connects the account. */
async function expectConnected(session: Session, place: Place): Promise<void> {
  expect(await readSession(session)).toMatchObject({ status: 'pending' });
  repair();
  await begin(session, place);
  await press('allow');
  await expectHeading(`Connected to ${titleOf(place)}`);
  expect(await readSession(session)).toMatchObject({ status: 'completed' });
}

const unlinked = { instagram_business_account: undefined };
const noPage =
  "Facebook shared no page with Acme. Open the link again, choose 'Edit settings', and select every page.";
const noTask =
  "Your role at the page Brass Bakery lacks the task 'Create content'. Ask an administrator of the page for it.";

const failures: [string, Place, () => void, string][] = [
  ['no page is shared', 'Facebook', () => share(), noPage],
  ['no page is shared', 'Instagram with Facebook', () => share(), noPage],
  [
    'the account is personal',
    'Instagram',
    () => void (meta.accountType = 'PERSONAL'),
    "A personal account can't publish through other apps. In the Instagram app, switch it to a professional account.",
  ],
  [
    'the account is personal',
    'Instagram with Facebook',
    () => {
      const connected_instagram_account = { id: '17', username: 'ada' };
      share(pageOf('0', { more: { ...unlinked, connected_instagram_account } }));
    },
    "@ada is linked to the page Brass Bakery as a personal account, which can't publish through other apps. In the Instagram app, switch it to a professional account.",
  ],
  [
    'no account is linked to a shared page',
    'Instagram with Facebook',
    () => share(pageOf('0', { more: unlinked })),
    'No Instagram account is linked to the pages that you shared: Brass Bakery. Link one in the settings of the page, or log in again and choose the page that it is linked to.',
  ],
  [
    'the task is missing',
    'Facebook',
    () => share(pageOf(meta.user.id, { tasks: ['ANALYZE'] })),
    noTask,
  ],
  [
    'the task is missing',
    'Instagram with Facebook',
    () => share(pageOf(meta.user.id, { tasks: ['ANALYZE'] })),
    noTask,
  ],
  [
    'the task is missing at 60 pages',
    'Facebook',
    () => share(...manyPages(60, { tasks: ['ANALYZE'] })),
    "57 more can't be connected either.",
  ],
  [
    'the page belongs to a business',
    'Facebook',
    () => shareOfBusiness({ isWithoutToken: true }),
    "The page Brass Bakery belongs to the business Brass Holding, where you lack the task 'Create content'. Ask an administrator of the business to assign you the page with this task.",
  ],
  [
    'access to the business is declined',
    'Facebook',
    () => {
      shareOfBusiness();
      logins.withheldScopes.add('business_management');
    },
    `${noPage} If the page belongs to a business, allow access to the business too.`,
  ],
];

describe.skipIf(!hasChromium)('the page says what to do if', () => {
  test.each(failures)('%s: %s', async (_, place, fail, sentence) => {
    fail();
    const session = await createSession(place);
    await begin(session, place);
    await press('allow');
    await expectHeading(`Your ${titleOf(place)} account could not be connected`);
    await expectText(sentence);
    await expectConnected(session, place);
  });

  test('the app is in development mode, and Facebook sends the user back', async () => {
    logins.development = 'answered';
    const session = await createSession('Facebook');
    await begin(session, 'Facebook');
    await expectHeading('Your Facebook account could not be connected');
    await expectText(
      'The app that Acme uses at Facebook is in development mode, in which only people with a role in the app can log in. Ask Acme for an invitation and accept it, or ask Acme to publish the app. Then try again.',
    );
    await expectConnected(session, 'Facebook');
  });

  test.each<[Place, string]>([
    ['Facebook', 'App not active'],
    ['Instagram with Facebook', 'App not active'],
    ['Instagram', 'Insufficient developer role'],
  ])('the app is in development mode, at the second try: %s', async (place, error) => {
    logins.development = 'shown';
    meta.logins.isInDevelopment = true;
    const session = await createSession(place);
    await begin(session, place);
    await expectText(error);
    await page.goto(session.url);
    await expectHeading(`Connect your ${titleOf(place)} account`);
    await expectText(
      `such as '${error}'? Then the app that Acme uses may be in development mode, in which only people with a role in the app can log in. Ask Acme for an invitation and accept it, or ask Acme to publish the app. Then try again.`,
    );
    await expectConnected(session, place);
  });

  test('only some of the pages are chosen', async () => {
    share(...manyPages(3));
    logins.postablePages = ['1001'];
    const session = await createSession('Facebook');
    await begin(session, 'Facebook');
    await press('allow');
    await expectHeading('Choose your Facebook accounts');
    await expectText(
      "You allowed posts to 1 of 3 pages. To add the others, log in again, choose 'Edit settings', and select every page.",
    );
    expect(await page.getByLabel('Page 2').isDisabled()).toBe(true);
    logins.postablePages = undefined;
    await page.getByRole('link', { name: 'Log in again' }).click();
    await press('Continue with Facebook');
    await press('allow');
    await page.getByLabel('Page 1').check();
    await page.getByLabel('Page 2').check();
    await press('Connect');
    await expectHeading('Connected to Facebook');
    expect((await readSession(session)).completed_social_account_ids).toHaveLength(2);
  });
});

describe.skipIf(!hasChromium)('a login', () => {
  test('offers all 60 pages, although Facebook lists them in several parts', async () => {
    share(...manyPages(60));
    logins.listSize = 25;
    const session = await createSession('Facebook');
    await begin(session, 'Facebook');
    await press('allow');
    await expectHeading('Choose your Facebook accounts');
    expect(await page.getByRole('checkbox').count()).toBe(60);
    await page.getByLabel('Page 60').check();
    await press('Connect');
    await expectHeading('Connected to Facebook');
    const { completed_social_account_id: id } = await readSession(session);
    const { data } = (await app.api.get(`/v1/accounts/${id}`)).body;
    expect(data).toMatchObject({ account_name: 'Page 60' });
  });

  test.each<Place>(['Facebook', 'Instagram'])('ends if the user denies it: %s', async (place) => {
    const session = await createSession(place);
    await begin(session, place);
    await press('deny');
    await expectHeading(`Not connected to ${titleOf(place)}`);
    expect(await readSession(session)).toMatchObject({ status: 'canceled' });
  });

  test('is refused with the code of another app, and can be repeated', async () => {
    const session = await createSession('Facebook');
    await begin(session, 'Facebook');
    await page.getByRole('button', { name: 'allow' }).waitFor();
    const state = new URL(page.url()).searchParams.get('state')!;
    const query = new URLSearchParams({ code: 'code-of-another-app', state });
    await page.goto(`${app.url}/connect/callback?${query.toString()}`);
    await expectHeading('Your Facebook account could not be connected');
    await expectText('Invalid verification code format.');
    await expectConnected(session, 'Facebook');
  });
});
