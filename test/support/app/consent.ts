// A user at the hosted connect page, who follows it to the network's consent page, allows everything and
// comes back.
import type { Api } from './api.ts';
import { createBrowser, type Browser, type Page } from './browser.ts';

export interface ConsentOptions {
  handle: string;
  externalUserId: string;
}

/** Returns the id of the account that the session connected. */
export async function completeConsent(api: Api, options: ConsentOptions): Promise<string> {
  const session = await api.post('/v1/connect/sessions', {
    platform: 'sandbox',
    external_user_id: options.externalUserId,
  });
  if (session.status !== 201) throw new Error(`No session: ${session.text}`);
  await giveConsent(session.body.data.url, { decision: { handle: options.handle } });
  const ended = await api.get(`/v1/connect/sessions/${session.body.data.id}`);
  if (ended.body.data.status !== 'completed') throw new Error(`Not connected: ${ended.text}`);
  return ended.body.data.completed_social_account_id as string;
}

interface Consent {
  /** Entered on the hosted page. Absent: the page only asks whether to continue. */
  inputs?: Record<string, string>;
  /** Entered on the network's page. */
  decision?: Record<string, string>;
  /** IDs of the accounts to choose. Absent: the login reaches only one account. */
  accounts?: string[];
}

/** Goes from the link of a session, or from another page of the session, to the network's consent page. */
export async function beginConsent(
  browser: Browser,
  url: string,
  inputs: Record<string, string> = {},
): Promise<Page> {
  return browser.submit(await browser.visit(url), { ...inputs, decision: 'connect' });
}

/** Opens the link of a session, and allows what the network asks for. Returns the page after the consent. */
export async function giveConsent(
  url: string,
  { inputs, decision, accounts }: Consent,
): Promise<Page> {
  const browser = createBrowser();
  const page = await beginConsent(browser, url, inputs);
  // A network may remember the user's last consent.
  if (new URL(page.url).pathname.startsWith('/connect/')) return page;
  const end = await browser.submit(page, { decision: 'allow', ...decision });
  return accounts ? browser.submit(end, { decision: 'choose', account: accounts }) : end;
}
