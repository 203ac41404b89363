// The callback of a consent: used once, by the browser that began, while the session is open.
import { describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import { formStateOf } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import {
  choose,
  formMethod,
  origin,
  useHostedFlow,
} from '../../support/networks/oauth/hosted-flow.ts';

const {
  rest,
  network,
  withMethods,
  browse,
  createSession,
  listAccounts,
  findCallback,
  logIn,
  readFlow,
  expectOpen,
} = useHostedFlow();

describe('the callback', () => {
  test('answers HEAD without ending anything', async () => {
    const browser = browse();
    const session = await createSession();
    const callback = await findCallback(await beginConsent(browser, session.url));
    const before = await readFlow(session);
    const answer = await browser.request(callback, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET']);
    expect(answer.headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(await readFlow(session)).toEqual(before);
    await browser.submit(await browser.visit(callback), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test('says that the same link works again if it has no state', async () => {
    const browser = browse();
    const session = await createSession();
    await beginConsent(browser, session.url);
    const lost = await browser.visit(`${origin}/connect/callback?error_code=1349126`);
    expect(lost.status).toBe(400);
    expect(lost.html).toContain('Go back to the app and open the link again.');
    await expectOpen(session);
    await browser.submit(await logIn(browser, session), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test("refuses the state of a form, and the session's form refuses the state of a consent", async () => {
    const browser = browse();
    const session = await createSession();
    const form = await browser.visit(session.url);
    const consent = await browser.submit(form, { decision: 'connect' });
    const state = new URL(consent.url).searchParams.get('state')!;
    const posted = await browser.submit(form, { state, decision: 'cancel' });
    const callback = new URL(`${origin}/connect/callback`);
    callback.search = new URLSearchParams({
      state: formStateOf(form),
      error: 'access_denied',
    }).toString();
    const called = await browser.visit(callback.href);
    expect([posted.status, called.status]).toEqual([403, 403]);
    await expectOpen(session);
  });

  test('is out of date once its flow was used', async () => {
    network.nextTokenAnswer = Response.json({}, { status: 503 });
    const browser = browse();
    const session = await createSession();
    const callback = await findCallback(await beginConsent(browser, session.url));
    expect((await browser.visit(callback)).status).toBe(503);
    const replayed = await browser.visit(callback);
    expect(replayed.status).toBe(409);
    expect(replayed.html).toContain('This step is out of date');
    expect(replayed.html).toContain(`href="/connect/${session.id}">Continue`);
    expect(network.countTokenRequests()).toBe(1);
    await expectOpen(session);
  });

  test('is out of date once the consent has begun again, and the later callback works', async () => {
    const browser = browse();
    const session = await createSession();
    const first = await findCallback(await beginConsent(browser, session.url));
    const second = await findCallback(
      await beginConsent(browser, `${origin}/connect/${session.id}`),
    );
    for (const url of [first, `${first}&error=access_denied`]) {
      expect((await browser.visit(url)).status).toBe(409);
    }
    expect(network.countTokenRequests()).toBe(0);
    await browser.submit(await browser.visit(second), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test('works however often scanners have opened the link since', async () => {
    const session = await createSession();
    const owner = browse();
    const callback = await findCallback(await beginConsent(owner, session.url));
    for (let i = 0; i < 12; i++) await browse().visit(session.url);
    await owner.submit(await owner.visit(callback), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
  });

  test('works although four other browsers began since', async () => {
    const session = await createSession();
    const owner = browse();
    const callback = await findCallback(await beginConsent(owner, session.url));
    for (let i = 0; i < 4; i++) await beginConsent(browse(), session.url);
    await owner.submit(await owner.visit(callback), choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
    expect(network.countLiveGrants()).toBe(1);
  });

  test('is refused in another browser before the network is asked', async () => {
    const session = await createSession();
    const [owner, foreign] = [browse(), browse()];
    const callback = await findCallback(await beginConsent(owner, session.url));
    expect((await foreign.visit(callback)).status).toBe(403);
    expect(network.countTokenRequests()).toBe(0);
    expect((await owner.visit(callback)).html).toContain('Bakery');
  });

  test('connects nothing if the session has expired', async () => {
    const browser = browse();
    const session = await createSession();
    const callback = await findCallback(await beginConsent(browser, session.url));
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

  test('is out of date if the network no longer has its connection method', async () => {
    const session = await createSession();
    const browser = browse();
    const callback = await findCallback(await beginConsent(browser, session.url));
    const later = createConnectRoutes({
      ...rest.context,
      platforms: createPlatforms([withMethods(formMethod)]),
    });
    const headers = { Cookie: browser.cookiesFor(callback) };
    const answer = await later.request(callback, { headers });
    expect(answer.status).toBe(409);
    expect(network.countTokenRequests()).toBe(0);
  });

  test('is out of date if the key that sealed its flow is gone, and the user can begin again', async () => {
    const browser = browse();
    const session = await createSession();
    const callback = await findCallback(await beginConsent(browser, session.url));
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
