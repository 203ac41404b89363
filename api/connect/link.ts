// The link of a session: gives the browser a cookie, and removes the token from the address bar.
import type { Context as HonoContext } from 'hono';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import type { Context } from '../http/context.ts';
import { invalidLinkPage, showEnded } from './pages.ts';
import { isToken, readBrowserSecret, setBrowserCookie, statusOf } from './session.ts';

/** A browser that has a cookie keeps it. */
export async function followLink(
  context: Context,
  c: HonoContext,
  session: ConnectSessionRow | undefined,
  token: string,
): Promise<Response> {
  if (!session || !isToken(session, token)) return invalidLinkPage();
  const status = statusOf(session);
  if (status !== 'pending') return showEnded(context, session, status);
  const { id } = session;
  if (readBrowserSecret(context, c, id) === undefined) setBrowserCookie(context, c, id);
  return c.redirect(`/connect/${id}`, 302);
}
