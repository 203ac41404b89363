// The hosted connect flow: the link, the session's page, the network's consent page, the callback.
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type Context as HonoContext } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import { connectAtNetwork } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { chooseAccounts, findChoicePage, finishLogin } from './choosing.ts';
import { describeClient } from './consent-app.ts';
import { beginConsent, completeConsent, isDenied } from './consent.ts';
import { cancelSession } from './ending.ts';
import { findFlow, takeFlow, toChoice, type Choice, type Visit } from './flow.ts';
import { readFields } from './form-fields.ts';
import { readForm, readPageSession, returnUrlOf, type PageSession } from './page-session.ts';
import {
  endedPage,
  errorPage,
  failedPage,
  formPage,
  otherBrowserPage,
  usedPage,
  type EndedStatus,
} from './pages.ts';
import { statusOf } from './presenter.ts';
import { fieldsOf, selectWay, wayOf, type SelectedWay } from './selected-way.ts';
import {
  isState,
  isToken,
  newState,
  readBrowserSecret,
  sessionIdOf,
  setBrowserCookie,
} from './session-secrets.ts';

const notValid = 'This link is not valid. Go back to the app and ask for a new one.';
const noSuchWay = 'This page does not exist.';
const maxBodyBytes = 65_536;
const usedCheckMs = 100;
const maxUsedChecks = 20;
const sessionIdPattern = /^cs_[0-9a-z]{26}$/;

interface Environment {
  /** The session of the request, once its browser is known. */
  Variables: { session?: ConnectSessionRow };
}
type PageContext = HonoContext<Environment>;

/** Expects full paths, starting with `/connect`. */
export function createConnectRoutes(context: Context): Hono<Environment> {
  const app = new Hono<Environment>().basePath('/connect');
  app.use(
    '/:id',
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: (c) => unreadablePage(c, 'The request is too large.', 413),
    }),
  );
  app.use(async (c, next) => {
    await next();
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cache-Control', 'no-store');
  });

  app.get('/callback', async (c) => {
    const query = c.req.query();
    const { state = '' } = query;
    const found = await findPending(c, sessionIdOf(state));
    if (found instanceof Response) return found;
    const { session, secret } = found;
    if (!isState(session.id, secret, state)) return show(otherBrowserPage, session);
    const begun = await takeFlow(context, session, state);
    if (!begun) return leaveUsed(found);
    const selected = selectWay(context, session, begun.way);
    if (isDenied(selected, query)) return leave(await cancelSession(context, session));
    try {
      const choice = await completeConsent(context, session, selected, begun, query);
      return choice ? await finish(c, found, choice) : await show(usedPage, session);
    } catch (error) {
      return consentFailedPage(error, session, selected);
    }
  });

  app.get('/:network/client-metadata.json', async (c) => {
    const document = await readClientDocument(c.req.param('network'));
    return document ? c.json(document) : errorPage('There is no such document.', 404);
  });

  app.get('/:id', async (c) => {
    const token = c.req.query('token');
    if (token !== undefined) return followLink(c, c.req.param('id'), token);
    const found = await findPending(c, c.req.param('id'));
    if (found instanceof Response) return found;
    const { session } = found;
    const choice =
      c.req.query('way') === undefined ? await findChoicePage(context, found) : undefined;
    if (choice) return choice;
    const selected = readWay(c, session);
    const way = wayOf(selected);
    if (!way) return failed(noSuchWay, 404, session);
    if (way.kind === 'form' || way.inputs) {
      return formPage({ ...(await readForm(context, found, selected)), values: {} });
    }
    try {
      return c.redirect(await beginConsent(context, found, selected, way, {}), 302);
    } catch (error) {
      return consentFailedPage(error, session, selected);
    }
  });

  app.post('/:id', async (c) => {
    const form = await c.req.parseBody({ all: true }).catch(() => null);
    if (!form) return unreadablePage(c, 'The form could not be read.', 400);
    const found = await findPending(c, c.req.param('id'));
    if (found instanceof Response) return found;
    const { session, secret } = found;
    // With the cookie alone, any page of the same site could submit the form.
    if (!isState(session.id, secret, text(form['state']))) return show(otherBrowserPage, session);
    if (form['decision'] === 'cancel') return leave(await cancelSession(context, session));
    if (form['decision'] === 'choose') {
      const chosen = await chooseAccounts(context, found, [form['account']].flat());
      return chosen instanceof Response ? chosen : leave(chosen);
    }
    const selected = readWay(c, session);
    const way = wayOf(selected);
    const schema = way && fieldsOf(way);
    if (!schema) return failed(noSuchWay, 404, session);
    const values = Object.fromEntries(
      readFields(schema)
        .fields.map(({ name }) => [name, text(form[name])] as const)
        .filter(([, value]) => value !== ''),
    );
    try {
      if (way.kind === 'consent') {
        return c.redirect(await beginConsent(context, found, selected, way, values), 303);
      }
      const { definition } = selected.platform;
      const grant = await connectAtNetwork(session.project_id, definition, way, values);
      const begun = { state: newState(session.id, secret), way: selected.index, appId: null };
      return await finish(c, found, toChoice(begun, grant));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return formPage({ ...(await readForm(context, found, selected)), values, error });
    }
  });

  app.notFound(() => errorPage(notValid, 404));
  app.onError(async (error, c) => {
    const isKnown = error instanceof AppError;
    if (!isKnown) context.log.error({ err: error }, 'a connect page failed');
    const message = isKnown ? error.message : 'Something went wrong. Try again in a moment.';
    const status = isKnown ? errorKinds[error.code].status : 500;
    const session = c.get('session');
    try {
      if (session) return await failed(message, status, session);
    } catch {
      // The database may be what failed.
    }
    return errorPage(message, status);
  });

  /** Null: the network has none, or none at this server's address. */
  async function readClientDocument(network: string): Promise<Record<string, unknown> | null> {
    try {
      return await describeClient(context, network);
    } catch (error) {
      if (error instanceof PlatformError) return null;
      throw error;
    }
  }

  /** Sets a new cookie on each load of the link, and removes the token from the address bar. */
  async function followLink(c: PageContext, id: string, token: string): Promise<Response> {
    if (!sessionIdPattern.test(id)) return errorPage(notValid, 404);
    const session = await findConnectSession(context.db, id);
    if (!session || !isToken(session, token)) return errorPage(notValid, 404);
    const status = statusOf(session);
    if (status !== 'pending') return ended(session, status);
    setBrowserCookie(context, c, id);
    return c.redirect(`/connect/${id}`, 302);
  }

  /** Returns the session and this browser's secret, or the page to respond with. */
  async function findPending(c: PageContext, id: string): Promise<Response | Visit> {
    const session = sessionIdPattern.test(id)
      ? await findConnectSession(context.db, id)
      : undefined;
    if (!session) return errorPage(notValid, 404);
    const secret = readBrowserSecret(context, c, id);
    if (secret === undefined) return show(otherBrowserPage, session);
    c.set('session', session);
    const status = statusOf(session);
    return status === 'pending' ? { session, secret } : ended(session, status);
  }

  async function show(
    page: (session: PageSession) => Promise<Response>,
    session: ConnectSessionRow,
  ): Promise<Response> {
    return page(await readPageSession(context, session));
  }

  const ended = (session: ConnectSessionRow, status: EndedStatus) =>
    show((shown) => endedPage(status, shown), session);

  const failed = (
    message: string,
    status: number,
    session: ConnectSessionRow,
    selected?: SelectedWay,
  ) => show((shown) => failedPage(message, status, shown, selected), session);

  async function unreadablePage(
    c: PageContext,
    message: string,
    status: number,
  ): Promise<Response> {
    const found = await findPending(c, c.req.param('id') ?? '');
    if (found instanceof Response) return errorPage(message, status);
    return failed(message, status, found.session);
  }

  /** The network can't be asked, or refuses the login. */
  function consentFailedPage(error: unknown, session: ConnectSessionRow, selected: SelectedWay) {
    if (!(error instanceof AppError)) throw error;
    return failed(error.message, errorKinds[error.code].status, session, selected);
  }

  /** Sends the user to the return URL, or shows the last page. */
  async function leave(session: ConnectSessionRow): Promise<Response> {
    const url = returnUrlOf(session);
    const status = statusOf(session);
    if (status === 'pending') return failed(notValid, 409, session);
    if (url === null || status === 'expired') return ended(session, status);
    return new Response(null, { status: 303, headers: { Location: url } });
  }

  /** Another request with the same state may be about to end the session or to offer a choice. */
  async function leaveUsed({ session, secret }: Visit): Promise<Response> {
    for (let attempt = 0; attempt < maxUsedChecks; attempt++) {
      session = (await findConnectSession(context.db, session.id))!;
      if (statusOf(session) !== 'pending') return leave(session);
      const choice = await findChoicePage(context, { session, secret });
      if (choice) return choice;
      if (findFlow(context, { session, secret })) break;
      await sleep(usedCheckMs);
    }
    return show(usedPage, session);
  }

  /** Ends the session with the login's only account, or sends the user to the choice. */
  async function finish(c: PageContext, visit: Visit, login: Choice): Promise<Response> {
    const ended = await finishLogin(context, visit, login);
    return ended ? leave(ended) : c.redirect(`/connect/${visit.session.id}`, 303);
  }

  /** The way that the address asks for, which the network may not have. Default: the first one. */
  function readWay(c: PageContext, session: ConnectSessionRow): SelectedWay {
    return selectWay(context, session, Number(c.req.query('way') ?? 1) - 1);
  }
  return app;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
