// The routes of the hosted connect flow. They find the session and the browser of a request, and pass both to
// the step that answers it. A browser gets its cookie from the link.
import { Hono, type Context as HonoContext } from 'hono';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import { isLinkToken } from '../http/auth/api-keys.ts';
import type { Context } from '../http/context.ts';
import { readBrowserSecret, setBrowserCookie, type LinkKind } from '../http/hosted-link.ts';
import { limitBody } from '../http/body.ts';
import { messageOf, textsOf, type PageContext, type Texts } from '../http/pages/texts.ts';
import { answerCallback } from './callback.ts';
import { describeClient, type CallbackServer } from './consent.ts';
import { showForm, submitForm } from './form.ts';
import {
  errorPage,
  invalidLinkPage,
  otherBrowserPage,
  show,
  showEnded,
  showFailed,
  type Failure,
} from './pages.ts';
import { sessionIdOf, sessionLifetimeMs, statusOf, type Visit } from './session.ts';

interface ConnectEnvironment {
  /** The session of the request, once its browser is known. */
  Variables: { session?: ConnectSessionRow };
}
type RequestContext = HonoContext<ConnectEnvironment>;

const connectLinks: LinkKind = { path: '/connect', cookie: 'connect', table: 'connect_sessions' };
const sessionIdPattern = /^cs_[0-9a-z]{26}$/;
const maxBodyBytes = 65_536;
const tooLarge = ({ failures }: Texts) => ({ message: failures.tooLarge, status: 413 });
const notReadable = ({ failures }: Texts) => ({ message: failures.unreadable, status: 400 });

/** Expects full paths, starting with `/connect`. */
export function createConnectRoutes(context: Context): Hono<ConnectEnvironment> {
  const within = (c: RequestContext): PageContext => ({ ...context, texts: textsOf(c) });
  const app = new Hono<ConnectEnvironment>().basePath('/connect');
  app.use(
    '/:id',
    limitBody(maxBodyBytes, (c, { code }) =>
      unreadable(c, code === 'payload_too_large' ? tooLarge : notReadable),
    ),
  );
  app.use(async (c, next) => {
    await next();
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cache-Control', 'no-store');
  });

  // Hono answers HEAD with the handler of GET, which may end the session.
  app.use('/callback/*', async (c, next) => {
    if (c.req.method !== 'HEAD') return next();
    c.header('Allow', 'GET');
    return c.body(null, 405);
  });

  app.get('/callback', (c) => answer(c));

  app.get('/callback/:network/:server', (c) => {
    const { network, server: host } = c.req.param();
    return answer(c, { network, host });
  });

  app.get('/:network/:project/client-metadata.json', async (c) => {
    const { network, project } = c.req.param();
    const document = await describeClient(context, network, project);
    return document
      ? c.json(document)
      : errorPage(textsOf(c), textsOf(c).connect.failures.noDocument, 404);
  });

  app.get('/:id', async (c) => {
    const id = c.req.param('id');
    const token = c.req.query('token');
    if (token !== undefined) return followLink(c, await findSession(id), token);
    const visit = await findVisit(c, id);
    return visit instanceof Response ? visit : showForm(within(c), visit, c.req.query('way'));
  });

  app.post('/:id', async (c) => {
    const form = await c.req.parseBody({ all: true }).catch(() => null);
    if (!form) return unreadable(c, notReadable);
    const visit = await findVisit(c, c.req.param('id'));
    return visit instanceof Response
      ? visit
      : submitForm(within(c), visit, c.req.query('way'), form);
  });

  app.notFound((c) => invalidLinkPage(textsOf(c)));
  app.onError(async (error, c) => {
    const isKnown = error instanceof AppError;
    if (!isKnown) context.log.error({ component: 'connect', err: error }, 'a connect page failed');
    const texts = textsOf(c);
    const message = isKnown ? messageOf(texts, error) : texts.failures.unexpected;
    const status = isKnown ? errorKinds[error.code].status : 500;
    const session = c.get('session');
    try {
      if (session) return await showFailed(within(c), session, { message, status });
    } catch {
      // The database may be what failed.
    }
    return errorPage(texts, message, status);
  });

  /** Removes the token from the address bar. A browser that already has a cookie keeps the cookie. */
  async function followLink(
    c: RequestContext,
    session: ConnectSessionRow | undefined,
    token: string,
  ): Promise<Response> {
    if (!session || !isLinkToken(session.token_hash, token)) return invalidLinkPage(textsOf(c));
    const status = statusOf(session);
    if (status !== 'pending') return showEnded(within(c), session, status);
    const { id } = session;
    if (readBrowserSecret(context, c, connectLinks, id) === undefined) {
      setBrowserCookie(context, c, connectLinks, { id, forMs: sessionLifetimeMs });
    }
    return c.redirect(`/connect/${id}`, 302);
  }

  async function unreadable(
    c: RequestContext,
    failureIn: (texts: Texts) => Failure,
  ): Promise<Response> {
    const failure = failureIn(textsOf(c));
    const visit = await findVisit(c, c.req.param('id') ?? '');
    if (visit instanceof Response) return errorPage(textsOf(c), failure.message, failure.status);
    return showFailed(within(c), visit.session, failure);
  }

  /** `server`: the one that the path names. */
  async function answer(c: RequestContext, server?: CallbackServer): Promise<Response> {
    const query = c.req.query();
    const { state } = query;
    if (state === undefined) return errorPage(textsOf(c), textsOf(c).connect.failures.noState, 400);
    const visit = await findVisit(c, sessionIdOf(state));
    return visit instanceof Response ? visit : answerCallback(within(c), visit, query, server);
  }

  async function findSession(id: string): Promise<ConnectSessionRow | undefined> {
    return sessionIdPattern.test(id) ? findConnectSession(context.db, id) : undefined;
  }

  /** Returns the page to respond with if the browser didn't open the link, or the session has ended. */
  async function findVisit(c: RequestContext, id: string): Promise<Response | Visit> {
    const session = await findSession(id);
    if (!session) return invalidLinkPage(textsOf(c));
    const secret = readBrowserSecret(context, c, connectLinks, id);
    if (secret === undefined) return show(within(c), session, otherBrowserPage);
    c.set('session', session);
    const status = statusOf(session);
    return status === 'pending' ? { session, secret } : showEnded(within(c), session, status);
  }
  return app;
}
