// Finds the session of a request, and whether its browser is one that opened the session's link.
import type { Context as HonoContext } from 'hono';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import type { Context } from '../http/context.ts';
import type { Visit } from './flow.ts';
import { errorPage, otherBrowserPage } from './pages.ts';
import { statusOf } from './presenter.ts';
import { isToken, readBrowserSecret, setBrowserCookie } from './session-secrets.ts';
import { show, showEnded } from './session-answers.ts';

export interface ConnectEnvironment {
  /** The session of the request, once its browser is known. */
  Variables: { session?: ConnectSessionRow };
}
export type PageContext = HonoContext<ConnectEnvironment>;

export const notValid = 'This link is not valid. Go back to the app and ask for a new one.';
const sessionIdPattern = /^cs_[0-9a-z]{26}$/;

/** Sets a cookie unless the browser has one, and removes the token from the address bar. */
export async function followLink(
  context: Context,
  c: PageContext,
  id: string,
  token: string,
): Promise<Response> {
  const session = await findById(context, id);
  if (!session || !isToken(session, token)) return errorPage(notValid, 404);
  const status = statusOf(session);
  if (status !== 'pending') return showEnded(context, session, status);
  if (readBrowserSecret(context, c, id) === undefined) setBrowserCookie(context, c, id);
  return c.redirect(`/connect/${id}`, 302);
}

/** Returns the session and this browser's secret, or the page to respond with. */
export async function findPending(
  context: Context,
  c: PageContext,
  id: string,
): Promise<Response | Visit> {
  const session = await findById(context, id);
  if (!session) return errorPage(notValid, 404);
  const secret = readBrowserSecret(context, c, id);
  if (secret === undefined) return show(context, session, otherBrowserPage);
  c.set('session', session);
  const status = statusOf(session);
  return status === 'pending' ? { session, secret } : showEnded(context, session, status);
}

async function findById({ db }: Context, id: string): Promise<ConnectSessionRow | undefined> {
  return sessionIdPattern.test(id) ? findConnectSession(db, id) : undefined;
}
