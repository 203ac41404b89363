// The hosted connect flow: the link, the session's page, the network's consent page, the callback.
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type Context as HonoContext } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import type { Platform } from '../../activities/platforms/platform.ts';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import { connectAtNetwork, describeProblem } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { describeClient } from './consent-app.ts';
import { beginConsent, completeConsent } from './consent.ts';
import { cancelSession, completeChoice, completeSession, returnUrlOf } from './ending.ts';
import { discardFlows, findFlow, keepFlow, takeFlow, type Choice, type Visit } from './flow.ts';
import { readFields } from './form-fields.ts';
import {
  choicePage,
  endedPage,
  errorPage,
  fieldsOf,
  formPage,
  otherBrowserPage,
  usedPage,
  wayAt,
  type Place,
} from './pages.ts';
import { statusOf } from './presenter.ts';
import {
  isState,
  isToken,
  newState,
  readBrowserSecret,
  sessionIdOf,
  setBrowserCookie,
} from './session-secrets.ts';

const notValid = 'This link is not valid. Go back to the app and ask for a new one.';
const maxBodyBytes = 65_536;
const usedCheckMs = 100;
const maxUsedChecks = 20;
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

  app.get('/callback', async (c) => {
    const query = c.req.query();
    const { state = '', error: refusal } = query;
    const found = await findPending(c, sessionIdOf(state));
    if (found instanceof Response) return found;
    const { session, secret } = found;
    if (!isState(session.id, secret, state)) return otherBrowserPage();
    const begun = await takeFlow(context, session, state);
    if (!begun) return leaveUsed(found);
    if (refusal === 'access_denied') return leave(await cancelSession(context, session));
    const place = placeAt(session, begun.way);
    try {
      const choice = await completeConsent(context, session, place, begun, query);
      return choice ? await finish(c, found, choice) : usedPage(session.id);
    } catch (error) {
      return consentErrorPage(error, place);
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
    const flow = c.req.query('way') === undefined ? findFlow(context, found) : undefined;
    if (flow?.kind === 'choice') return choicePage(await choiceFormOf(found, flow));
    const place = placeOf(c, session);
    const way = wayAt(place);
    if (!way) return errorPage(notValid, 404);
    if (way.kind === 'form' || way.inputs) {
      return formPage({ ...(await formOf(place, found)), values: {} });
    }
    try {
      return c.redirect(await beginConsent(context, found, place, way, {}), 302);
    } catch (error) {
      return consentErrorPage(error, place);
    }
  });

  app.post('/:id', async (c) => {
    const form = await c.req.parseBody({ all: true }).catch(() => null);
    if (!form) return errorPage('The form could not be read.', 400);
    const found = await findPending(c, c.req.param('id'));
    if (found instanceof Response) return found;
    const { session, secret } = found;
    // With the cookie alone, any page of the same site could submit the form.
    if (!isState(session.id, secret, text(form['state']))) return otherBrowserPage();
    if (form['decision'] === 'cancel') return leave(await cancelSession(context, session));
    if (form['decision'] === 'choose') return chooseAccounts(found, [form['account']].flat());
    const place = placeOf(c, session);
    const way = wayAt(place);
    const schema = way && fieldsOf(way);
    if (!schema) return errorPage(notValid, 404);
    const values = Object.fromEntries(
      readFields(schema)
        .fields.map(({ name }) => [name, text(form[name])] as const)
        .filter(([, value]) => value !== ''),
    );
    try {
      if (way.kind === 'consent') {
        return c.redirect(await beginConsent(context, found, place, way, values), 303);
      }
      const { definition } = place.platform;
      const grant = await connectAtNetwork(session.project_id, definition, way, values);
      const state = newState(session.id, secret);
      return await finish(c, found, {
        kind: 'choice',
        state,
        way: place.index,
        grant,
        appId: null,
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return formPage({ ...(await formOf(place, found)), values, error });
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
  async function followLink(c: HonoContext, id: string, token: string): Promise<Response> {
    if (!sessionIdPattern.test(id)) return errorPage(notValid, 404);
    const session = await findConnectSession(context.db, id);
    if (!session || !isToken(session, token)) return errorPage(notValid, 404);
    const status = statusOf(session);
    if (status !== 'pending') return endedPage(status);
    setBrowserCookie(context, c, id);
    return c.redirect(`/connect/${id}`, 302);
  }

  /** Returns the session and this browser's secret, or the page to respond with. */
  async function findPending(c: HonoContext, id: string): Promise<Response | Visit> {
    if (!sessionIdPattern.test(id)) return errorPage(notValid, 404);
    const secret = readBrowserSecret(context, c, id);
    if (secret === undefined) return otherBrowserPage();
    const session = await findConnectSession(context.db, id);
    if (!session) return errorPage(notValid, 404);
    const status = statusOf(session);
    return status === 'pending' ? { session, secret } : endedPage(status);
  }

  /** Another request with the same state may be about to end the session or to offer a choice. */
  async function leaveUsed({ session: { id }, secret }: Visit): Promise<Response> {
    for (let attempt = 0; attempt < maxUsedChecks; attempt++) {
      const session = (await findConnectSession(context.db, id))!;
      if (statusOf(session) !== 'pending') return leave(session);
      const flow = findFlow(context, { session, secret });
      if (flow?.kind === 'choice') return choicePage(await choiceFormOf({ session, secret }, flow));
      if (flow) break;
      await sleep(usedCheckMs);
    }
    return usedPage(id);
  }

  /** Connects the only account of a login, or asks the user which accounts to connect. */
  async function finish(c: HonoContext, visit: Visit, choice: Choice): Promise<Response> {
    const { session } = visit;
    const { accounts } = choice.grant;
    if (accounts.every(({ problem }) => problem !== null)) {
      await discardFlows(context, session, [choice]);
      throw new AppError('conflict', accounts.map(describeProblem).join(' '));
    }
    if (accounts.length === 1) return leave(await completeSession(context, session, choice));
    await keepFlow(context, visit, choice);
    return c.redirect(`/connect/${session.id}`, 303);
  }

  async function chooseAccounts(visit: Visit, given: unknown[]): Promise<Response> {
    const chosen = given.filter((id) => typeof id === 'string');
    try {
      return leave(await completeChoice(context, visit, chosen));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const flow = findFlow(context, visit);
      if (flow?.kind !== 'choice') return usedPage(visit.session.id);
      return choicePage({ ...(await choiceFormOf(visit, flow)), chosen, error });
    }
  }

  async function choiceFormOf(visit: Visit, { way, grant }: Choice) {
    const form = await formOf(placeAt(visit.session, way), visit);
    return { ...form, accounts: grant.accounts };
  }

  /** The way that the address asks for, which the network may not have. Default: the first one. */
  function placeOf(c: HonoContext, session: ConnectSessionRow): Place {
    return placeAt(session, Number(c.req.query('way') ?? 1) - 1);
  }

  function placeAt(session: ConnectSessionRow, index: number): Place {
    return { platform: platformOf(context, session), index, sessionId: session.id };
  }

  async function formOf(place: Place, { session, secret }: Visit) {
    const { name } = await getProjectRow(context.db, session.project_id);
    return { ...place, projectName: name, state: newState(session.id, secret) };
  }
  return app;
}

function platformOf({ platforms }: Context, session: ConnectSessionRow): Platform {
  const platform = platforms.get(session.platform);
  if (!platform) throw new Error(`The network ${session.platform} is no longer configured.`);
  return platform;
}

/** The network can't be asked, or refuses the login. */
function consentErrorPage(error: unknown, place: Place): Promise<Response> {
  if (!(error instanceof AppError)) throw error;
  return errorPage(error.message, errorKinds[error.code].status, place);
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
