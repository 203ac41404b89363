// A user at the hosted connect page: follows it to the network's consent page, says yes, comes back.
import type { Api } from './api.ts';

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
  let page = await fetch(session.body.data.url);
  // Our own page may come before the network's; each is a form to send on.
  for (let steps = 0; steps < 3; steps++) {
    const html = await page.text();
    const form = /<form[^>]*action="([^"]*)"/.exec(html);
    if (!form) break;
    page = await fetch(new URL(unescape(form[1]!), page.url), {
      method: 'POST',
      headers: { origin: new URL(page.url).origin },
      body: fill(html, options.handle),
    });
  }
  const ended = await api.get(`/v1/connect/sessions/${session.body.data.id}`);
  if (ended.body.data.status !== 'completed') throw new Error(`Not connected: ${ended.text}`);
  return ended.body.data.completed_social_account_id as string;
}

function fill(html: string, handle: string): URLSearchParams {
  const fields = new URLSearchParams({ handle, decision: 'allow' });
  for (const [input] of html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    const value = /value="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined && value !== undefined) fields.set(name, unescape(value));
  }
  return fields;
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
