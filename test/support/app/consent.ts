// A user at the hosted connect page: follows it to the network's consent page, says yes, comes back.
import type { Api } from './api.ts';
import { createBrowser } from './browser.ts';

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
  const browser = createBrowser();
  const consentPage = await browser.visit(session.body.data.url);
  await browser.submit(consentPage, { handle: options.handle, decision: 'allow' });
  const ended = await api.get(`/v1/connect/sessions/${session.body.data.id}`);
  if (ended.body.data.status !== 'completed') throw new Error(`Not connected: ${ended.text}`);
  return ended.body.data.completed_social_account_id as string;
}
