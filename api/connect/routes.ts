// The hosted connect flow: the link, the session's page, the network's consent page, the callback.
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type Context as HonoContext } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Platform } from '../../activities/platforms/platform.ts';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import { askNetwork, connectAtNetwork } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { cancelSession, completeSession, returnUrlOf } from './ending.ts';
import { credentialFields, endedPage, formPage, otherBrowserPage, errorPage } from './pages.ts';
import { statusOf } from './presenter.ts';
import {
  isState,
  isToken,
  readBrowserSecret,
  sessionIdOf,
  setBrowserCookie,
  toState,
} from './session-secrets.ts';

const notValid = 'This link is not valid. Go back to the app and ask for a new one.';
const maxBodyBytes = 65_536;
const sessionIdPattern = /^cs_[0-9a-z]{26}$/;

/** Expects full paths, starting with `/connect`. */
export function createConnectRoutes(context: Context): Hono {
  const app = new Hono().basePath('/connect');
  app.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => errorPage('The request is too large.', 413),
    }),
  );
  app.use(async (c, next) => {
    await next();
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cache-Control', 'no-store');
  });
  const callbackUrl = `${context.publicUrl}/connect/callback`;

  app.get('/callback', async (c) => {
    const query = c.req.query();
    const { state = '', error: refusal } = query;
    const found = await findPending(c, sessionIdOf(state));
    if (found instanceof Response) return found;
    const { session, secret } = found;
    if (!isState(session.id, secret, state)) return otherBrowserPage();
    if (refusal === 'access_denied') return leave(await cancelSession(context, session));
    const { consent } = platformOf(context, session);
    if (!consent) return errorPage(notValid, 404);
    try {
      const connection = await askNetwork(
        session.project_id,
        (signal) => consent.complete(query, { callbackUrl }, signal),
        (message) => new AppError('conflict', message),
      );
      return leave(await completeSession(context, session, connection));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const ended = error.code === 'conflict' ? await waitForEnd(session) : undefined;
      if (ended) return leave(ended);
      const { status } = errorKinds[error.code];
      return errorPage(error.message, status, `/connect/${session.id}`);
    }
  });

  app.get('/:id', async (c) => {
    const token = c.req.query('token');
    if (token !== undefined) return followLink(c, c.req.param('id'), token);
    const found = await findPending(c, c.req.param('id'));
    if (found instanceof Response) return found;
    const { session, secret } = found;
    const platform = platformOf(context, session);
    if (platform.consent) {
      const state = toState(session.id, secret);
      return c.redirect(platform.consent.authorizeUrl({ state, callbackUrl }), 302);
    }
    return formPage({ ...(await formOf(session, platform, secret)), values: {} });
  });

  app.post('/:id', async (c) => {
    const form = await c.req.parseBody().catch(() => null);
    if (!form) return errorPage('The form could not be read.', 400);
    const found = await findPending(c, c.req.param('id'));
    if (found instanceof Response) return found;
    const { session, secret } = found;
    // With the cookie alone, any page of the same site could submit the form.
    if (!isState(session.id, secret, text(form['state']))) return otherBrowserPage();
    if (form['decision'] === 'cancel') return leave(await cancelSession(context, session));
    const platform = platformOf(context, session);
    if (!platform.connect) return errorPage(notValid, 404);
    const values = Object.fromEntries(
      credentialFields(platform)
        .map(({ name }) => [name, text(form[name])] as const)
        .filter(([, value]) => value !== ''),
    );
    try {
      const connection = await connectAtNetwork(session.project_id, platform.connect, values);
      return leave(await completeSession(context, session, connection));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return formPage({ ...(await formOf(session, platform, secret)), values, error });
    }
  });

  app.notFound(() => errorPage(notValid, 404));
  app.onError((error) => {
    if (error instanceof AppError) {
      return errorPage(error.message, errorKinds[error.code].status);
    }
    context.log.error({ err: error }, 'a connect page failed');
    return errorPage('Something went wrong. Try again in a moment.', 500);
  });

  /** Sets a new cookie on each load of the link, and removes the token from the address bar. */
  async function followLink(c: HonoContext, id: string, token: string): Promise<Response> {
    const session = await findSession(context, id);
    if (!session || !isToken(session, token)) return errorPage(notValid, 404);
    const status = statusOf(session);
    if (status !== 'pending') return endedPage(status);
    setBrowserCookie(context, c, id);
    return c.redirect(`/connect/${id}`, 302);
  }

  /** Returns the session and this browser's secret, or the page to respond with. */
  async function findPending(
    c: HonoContext,
    id: string,
  ): Promise<Response | { session: ConnectSessionRow; secret: string }> {
    if (!sessionIdPattern.test(id)) return errorPage(notValid, 404);
    const secret = readBrowserSecret(context, c, id);
    if (secret === undefined) return otherBrowserPage();
    const session = await findSession(context, id);
    if (!session) return errorPage(notValid, 404);
    const status = statusOf(session);
    return status === 'pending' ? { session, secret } : endedPage(status);
  }

  /** A code works once. Another request with the same code may be about to end the session. */
  async function waitForEnd({ id }: ConnectSessionRow): Promise<ConnectSessionRow | undefined> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const session = await findConnectSession(context.db, id);
      if (session && statusOf(session) !== 'pending') return session;
      await sleep(100);
    }
    return undefined;
  }

  async function formOf(session: ConnectSessionRow, platform: Platform, secret: string) {
    const { name } = await getProjectRow(context.db, session.project_id);
    const state = toState(session.id, secret);
    return { platform, projectName: name, sessionId: session.id, state };
  }
  return app;
}

async function findSession({ db }: Context, id: string): Promise<ConnectSessionRow | undefined> {
  return sessionIdPattern.test(id) ? findConnectSession(db, id) : undefined;
}

function platformOf({ platforms }: Context, session: ConnectSessionRow): Platform {
  const platform = platforms.get(session.platform);
  if (!platform) throw new Error(`The network ${session.platform} is no longer configured.`);
  return platform;
}

/** Sends the user to the return URL, or shows the last page. */
function leave(session: ConnectSessionRow): Response | Promise<Response> {
  const url = returnUrlOf(session);
  if (url !== null) return new Response(null, { status: 303, headers: { Location: url } });
  const status = statusOf(session);
  return status === 'pending' ? errorPage(notValid, 409) : endedPage(status);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
