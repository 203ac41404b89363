// The choice among the accounts of a login.
import { describe, expect, test } from 'vitest';
import { formStateOf } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import {
  choose,
  origin,
  returnUrl,
  useHostedFlow,
} from '../../support/networks/oauth/hosted-flow.ts';

const {
  rest,
  tenant,
  network,
  browse,
  createSession,
  readSession,
  listAccounts,
  readFlow,
  findCallback,
  logIn,
  expectOpen,
} = useHostedFlow();

describe('a choice among accounts', () => {
  test('waits, however many other browsers begin', async () => {
    const session = await createSession();
    const owner = browse();
    const page = await logIn(owner, session);
    for (let i = 0; i < 8; i++) await beginConsent(browse(), session.url);
    await owner.submit(page, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
    expect(network.countLiveGrants()).toBe(1);
  });

  test('is refused to a sixth browser, whose login is revoked', async () => {
    const session = await createSession();
    const owner = browse();
    const page = await logIn(owner, session);
    for (let i = 0; i < 4; i++) await logIn(browse(), session);
    expect(network.countLiveGrants()).toBe(5);
    const refused = await logIn(browse(), session);
    expect(refused.status).toBe(409);
    expect(refused.html).toContain('Too many people have logged in with this link.');
    expect(network.countLiveGrants()).toBe(5);
    // The owner may log in again, which replaces the login that waits.
    const again = await logIn(owner, session, '?way=1');
    expect(again.html).toContain('Bakery');
    expect(network.countLiveGrants()).toBe(5);
    expect(page.url).toBe(again.url);
    await owner.submit(again, choose('page-1'));
    expect(await listAccounts()).toEqual(['Bakery']);
    expect(network.countLiveGrants()).toBe(1);
  });

  test('connects the chosen accounts in the order of the page', async () => {
    network.accounts.reverse();
    const browser = browse();
    const session = await createSession();
    await browser.submit(await logIn(browser, session), choose('page-1', 'page-2'));
    const ids: string[] = (await readSession(session)).completed_social_account_ids;
    const names = ids.map(async (id) => {
      const { body } = await rest.call('GET', `/v1/accounts/${id}`, { key: tenant.key });
      return body.data.account_name as string;
    });
    expect(await Promise.all(names)).toEqual(['Garden', 'Bakery']);
  });

  test('shows each account, and the reason if an account cannot be chosen', async () => {
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
    expect(page.html).toMatch(/Bakery<\/bdi>\s*<span[^>]*>Page<\/span>/);
    expect(page.html).toContain('Page. You are not an editor of this page.');
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
        ['state', formStateOf(page)],
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
    const callback = await findCallback(await beginConsent(browser, session.url));
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
    const consent = await beginConsent(browser, new URL(link, origin).href);
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
    expect(again.html).toContain('The account Garden is connected for another user.');
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
    const form = await other.visit(session.url);
    const page = await logIn(owner, session);
    const state = formStateOf(form);
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
