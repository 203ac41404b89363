// A connect session whose vault key is removed while its user is on the way: the user begins again.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createVault } from '../../../schema/database/vault.ts';
import { createBrowser } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import { choose, origin, useHostedFlow } from '../../support/networks/oauth/hosted-flow.ts';

const flow = useHostedFlow();
const { createSession, listAccounts, logIn, expectOpen } = flow;

/** A browser, and a function that replaces the only key of the vault. */
function open() {
  let pages = flow.createPages();
  const browser = createBrowser((url, init) =>
    new URL(url).origin === origin ? pages.request(url, init) : fetch(url, init),
  );
  const replaceKey = () => {
    const vault = createVault(new Map([['new', randomBytes(32)]]), 'new');
    pages = flow.createPages(flow.platform, { vault });
  };
  return { browser, replaceKey };
}

const otherBrowser = 'Go back to Test and open the link again.';

test('a consent that has begun is lost, and the link begins a new consent', async () => {
  const { browser, replaceKey } = open();
  const session = await createSession();
  const consentPage = await beginConsent(browser, session.url);
  replaceKey();
  const back = await browser.submit(consentPage, { decision: 'allow' });
  expect(back.status).toBe(403);
  expect(back.html).toContain(otherBrowser);
  await expectOpen(session);
  const again = await logIn(browser, session);
  await browser.submit(again, choose('page-1'));
  expect(await listAccounts()).toEqual(['Bakery']);
});

test('a choice is lost, and the link begins a new consent', async () => {
  const { browser, replaceKey } = open();
  const session = await createSession();
  const choice = await logIn(browser, session);
  replaceKey();
  const refused = await browser.submit(choice, choose('page-1'));
  expect(refused.status).toBe(403);
  expect(refused.html).toContain(otherBrowser);
  await expectOpen(session);
  await browser.submit(await logIn(browser, session), choose('page-2'));
  expect(await listAccounts()).toEqual(['Garden']);
});
