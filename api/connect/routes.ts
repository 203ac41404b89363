// The routes of the hosted connect flow: the link, the session's page, its form, the callback.
import { Hono } from 'hono';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';
import { limitBody } from '../http/limit-body.ts';
import { answerCallback } from './callback.ts';
import { findChoicePage } from './choosing.ts';
import { describeClient } from './consent-app.ts';
import { readForm } from './page-session.ts';
import { errorPage, formPage } from './pages.ts';
import { selectWay, wayOf } from './selected-way.ts';
import { noSuchWay, showFailed, type Failure } from './session-answers.ts';
import { submitForm } from './submit-form.ts';
import {
  findPending,
  followLink,
  notValid,
  type ConnectEnvironment,
  type PageContext,
} from './visits.ts';

const maxBodyBytes = 65_536;
const tooLarge = { message: 'The request is too large.', status: 413 };
const notReadable = { message: 'The form could not be read.', status: 400 };

/** Expects full paths, starting with `/connect`. */
export function createConnectRoutes(context: Context): Hono<ConnectEnvironment> {
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

  // Hono answers HEAD with the handler of GET, and this one ends sessions.
  app.use('/callback/*', async (c, next) => {
    if (c.req.method !== 'HEAD') return next();
    c.header('Allow', 'GET');
    return c.body(null, 405);
  });

  app.get('/callback', (c) => answerCallback(context, c));

  app.get('/callback/:network/:server', (c) => {
    const { network, server: host } = c.req.param();
    return answerCallback(context, c, { network, host });
  });

  app.get('/:network/:project/client-metadata.json', async (c) => {
    const { network, project } = c.req.param();
    const document = await readClientDocument(network, project);
    return document ? c.json(document) : errorPage('There is no such document.', 404);
  });

  app.get('/:id', async (c) => {
    const token = c.req.query('token');
    if (token !== undefined) return followLink(context, c, c.req.param('id'), token);
    const found = await findPending(context, c, c.req.param('id'));
    if (found instanceof Response) return found;
    const { session } = found;
    const choice =
      c.req.query('way') === undefined ? await findChoicePage(context, found) : undefined;
    if (choice) return choice;
    const selected = selectWay(context, session, wayIn(c));
    if (!wayOf(selected)) return showFailed(context, session, noSuchWay);
    return formPage({ ...(await readForm(context, found, selected)), values: {} });
  });

  app.post('/:id', async (c) => {
    const form = await c.req.parseBody({ all: true }).catch(() => null);
    if (!form) return unreadable(c, notReadable);
    const found = await findPending(context, c, c.req.param('id'));
    return found instanceof Response ? found : submitForm(context, found, wayIn(c), form);
  });

  app.notFound(() => errorPage(notValid, 404));
  app.onError(async (error, c) => {
    const isKnown = error instanceof AppError;
    if (!isKnown) context.log.error({ component: 'connect', err: error }, 'a connect page failed');
    const message = isKnown ? error.message : 'Something went wrong. Try again in a moment.';
    const status = isKnown ? errorKinds[error.code].status : 500;
    const session = c.get('session');
    try {
      if (session) return await showFailed(context, session, { message, status });
    } catch {
      // The database may be what failed.
    }
    return errorPage(message, status);
  });

  /** Null: the network has none, or none at this server's address. */
  async function readClientDocument(
    network: string,
    projectId: string,
  ): Promise<Record<string, unknown> | null> {
    try {
      return await describeClient(context, network, projectId);
    } catch (error) {
      if (error instanceof PlatformError) return null;
      throw error;
    }
  }

  async function unreadable(c: PageContext, failure: Failure): Promise<Response> {
    const found = await findPending(context, c, c.req.param('id') ?? '');
    if (found instanceof Response) return errorPage(failure.message, failure.status);
    return showFailed(context, found.session, failure);
  }
  return app;
}

/** Position of the way that the address asks for, which the network may not have. Default: the first. */
function wayIn(c: PageContext): number {
  return Number(c.req.query('way') ?? 1) - 1;
}
