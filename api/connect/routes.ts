// The hosted connect flow: the link, the session's page, the network's consent page, the callback.
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type Context as HonoContext } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ConsentWay, Platform } from '../../activities/platforms/platform.ts';
import { findApp, findAppFor, type AppSettings } from '../../schema/database/accounts/apps.ts';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import {
  beginAtNetwork,
  completeAtNetwork,
  connectAtNetwork,
  describeProblem,
} from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { cancelSession, completeChoice, completeSession, returnUrlOf } from './ending.ts';
import { discardFlows, findFlow, keepFlow, takeFlow, type Choice, type Visit } from './flow.ts';
import {
  choicePage,
  endedPage,
  errorPage,
  fieldsOf,
  formPage,
  otherBrowserPage,
  readFields,
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
  const callbackUrl = `${context.publicUrl}/connect/callback`;

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
    const { way: index, inputs, flow, appId } = begun;
    const platform = platformOf(context, session);
    const way = platform.connect[index];
    if (way?.kind !== 'consent') return usedPage(session.id);
    const app =
      appId === null ? null : await findApp(context.db, session.project_id, context.vault, appId);
    // It was deleted.
    if (app === undefined) return usedPage(session.id);
    try {
      const request = { state, callbackUrl, app, inputs, flow };
      const grant = await completeAtNetwork(
        session.project_id,
        platform.definition,
        way,
        query,
        request,
      );
      return await finish(c, found, { kind: 'choice', state, way: index, grant, appId });
    } catch (error) {
      return consentErrorPage(error, { platform, index, sessionId: session.id });
    }
  });

  app.get('/:id', async (c) => {
    const token = c.req.query('token');
    if (token !== undefined) return followLink(c, c.req.param('id'), token);
    const found = await findPending(c, c.req.param('id'));
    if (found instanceof Response) return found;
    const { session, secret } = found;
    const flow = c.req.query('way') === undefined ? findFlow(context, found) : undefined;
    if (flow?.kind === 'choice') return choicePage(await choiceFormOf(found, flow));
    const place = placeOf(c, session);
    const way = wayAt(place);
    if (!way) return errorPage(notValid, 404);
    if (way.kind === 'form' || way.inputs) {
      return formPage({ ...(await formOf(place, session, secret)), values: {} });
    }
    try {
      return await begin(c, found, place, way, {});
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
      if (way.kind === 'consent') return await begin(c, found, place, way, values);
      const grant = await connectAtNetwork(
        session.project_id,
        place.platform.definition,
        way,
        values,
      );
      const state = newState(session.id, secret);
      const login = { grant, appId: null };
      return await finish(c, found, { kind: 'choice', state, way: place.index, ...login });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return formPage({ ...(await formOf(place, session, secret)), values, error });
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
  async function findPending(c: HonoContext, id: string): Promise<Response | Visit> {
    if (!sessionIdPattern.test(id)) return errorPage(notValid, 404);
    const secret = readBrowserSecret(context, c, id);
    if (secret === undefined) return otherBrowserPage();
    const session = await findSession(context, id);
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
    const { grant } = choice;
    const { accounts } = grant;
    if (accounts.every(({ problem }) => problem !== null)) {
      await discardFlows(context, session, [choice]);
      throw new AppError('conflict', accounts.map(describeProblem).join(' '));
    }
    if (accounts.length === 1) {
      return leave(await completeSession(context, session, choice));
    }
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

  async function choiceFormOf({ session, secret }: Visit, { way, grant }: Choice) {
    const place = { platform: platformOf(context, session), index: way, sessionId: session.id };
    return { ...(await formOf(place, session, secret)), accounts: grant.accounts };
  }

  /** Redirects to the network's consent page. */
  async function begin(
    c: HonoContext,
    visit: Visit,
    { platform, index }: Place,
    way: ConsentWay,
    given: Record<string, string>,
  ): Promise<Response> {
    const { session, secret } = visit;
    const state = newState(session.id, secret);
    const { definition } = platform;
    const projectId = session.project_id;
    const settings: AppSettings = context.config.platforms;
    const operatorClientId = settings[definition.name].clientId;
    const wanted = { definition, operatorClientId };
    const app = await findAppFor(context.db, projectId, context.vault, wanted);
    const request = { state, callbackUrl, app };
    const { url, ...begun } = await beginAtNetwork(projectId, way, request, given);
    const appId = app?.id ?? null;
    await keepFlow(context, visit, { kind: 'consent', state, way: index, appId, ...begun });
    return c.redirect(url, c.req.method === 'GET' ? 302 : 303);
  }

  /** The way that the address asks for, if the network has it. Default: the first one. */
  function placeOf(c: HonoContext, session: ConnectSessionRow): Place {
    const platform = platformOf(context, session);
    return { platform, index: Number(c.req.query('way') ?? 1) - 1, sessionId: session.id };
  }

  async function formOf(place: Place, session: ConnectSessionRow, secret: string) {
    const { name } = await getProjectRow(context.db, session.project_id);
    return { ...place, projectName: name, state: newState(session.id, secret) };
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
