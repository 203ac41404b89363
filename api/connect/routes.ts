// The hosted connect flow: the session's page, the network's consent, the way back.
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Platform } from '../../activities/platforms/platform.ts';
import { findConnectSession } from '../../schema/database/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/database.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import { AppError, errorKinds } from '../../schema/errors.ts';
import { askNetwork, connectAtNetwork } from '../accounts/connect-at-network.ts';
import type { Context } from '../context.ts';
import { cancelSession, completeSession, returnUrlOf } from './ending.ts';
import { credentialFields, endedPage, formPage, troublePage } from './pages.ts';
import { presentConnectSession, statusOf } from './presenter.ts';
import { isState, isToken, openToken, sessionIdOf, toState } from './token.ts';

const notValid = 'This link is not valid. Go back to where you came from and ask for a new one.';
const maxBodyBytes = 65_536;
const sessionIdPattern = /^cs_[0-9a-z]{26}$/;

/** Give it whole requests, with `/connect` in their path. */
export function createConnectRoutes(context: Context): Hono {
  const app = new Hono().basePath('/connect');
  app.use(
    bodyLimit({ maxSize: maxBodyBytes, onError: () => troublePage('That is too much.', 413) }),
  );
  const callbackUrl = `${context.publicUrl}/connect/callback`;

  app.get('/callback', async (c) => {
    const query = c.req.query();
    const { state = '', error } = query;
    const session = await findSession(context, sessionIdOf(state));
    if (!session) return troublePage(notValid, 404);
    const status = statusOf(session);
    if (status !== 'pending') return endedPage(status);
    const token = openToken(context.vault, session);
    if (token === null || !isState(session, token, state)) return troublePage(notValid, 404);
    if (error === 'access_denied') return leave(await cancelSession(context, session));
    const { consent } = platformOf(context, session);
    if (!consent) return troublePage(notValid, 404);
    const connection = await askNetwork(
      (signal) => consent.complete(query, { callbackUrl }, signal),
      (message) => new AppError('conflict', message),
    ).catch((thrown: unknown) => {
      if (thrown instanceof AppError) return thrown;
      throw thrown;
    });
    if (connection instanceof AppError) {
      const ended = connection.code === 'conflict' ? await findEnd(session) : undefined;
      if (ended) return leave(ended);
      const retryUrl = presentConnectSession(context, session).url ?? undefined;
      return troublePage(connection.message, errorKinds[connection.code].status, retryUrl);
    }
    return leave(await completeSession(context, session, connection));
  });

  app.get('/:id', async (c) => {
    const token = c.req.query('token') ?? '';
    const session = await findSession(context, c.req.param('id'));
    if (!session || !isToken(session, token)) return troublePage(notValid, 404);
    const status = statusOf(session);
    if (status !== 'pending') return endedPage(status);
    const platform = platformOf(context, session);
    if (platform.consent) {
      const state = toState(session, token);
      return c.redirect(platform.consent.authorizeUrl({ state, callbackUrl }), 302);
    }
    return formPage({ ...(await formOf(session, platform, token)), values: {} });
  });

  app.post('/:id', async (c) => {
    const form = await c.req.parseBody().catch(() => null);
    if (!form) return troublePage('What was sent cannot be read.', 400);
    const token = text(form['token']);
    const session = await findSession(context, c.req.param('id'));
    if (!session || !isToken(session, token)) return troublePage(notValid, 404);
    const status = statusOf(session);
    if (status !== 'pending') return endedPage(status);
    if (form['decision'] === 'cancel') return leave(await cancelSession(context, session));
    const platform = platformOf(context, session);
    if (!platform.connect) return troublePage(notValid, 404);
    const values = Object.fromEntries(
      credentialFields(platform)
        .map(({ name }) => [name, text(form[name])] as const)
        .filter(([, value]) => value !== ''),
    );
    try {
      const connection = await connectAtNetwork(platform.connect, values);
      return leave(await completeSession(context, session, connection));
    } catch (fault) {
      if (!(fault instanceof AppError)) throw fault;
      return formPage({ ...(await formOf(session, platform, token)), values, fault });
    }
  });

  app.notFound(() => troublePage(notValid, 404));
  app.onError((error) => {
    if (error instanceof AppError) {
      return troublePage(error.message, errorKinds[error.code].status);
    }
    context.log.error({ err: error }, 'a hosted connect page failed');
    return troublePage('Something failed here. Try again in a moment.', 500);
  });

  /** A code works once: another request with the same one may be about to end the session. */
  async function findEnd({ id }: ConnectSessionRow): Promise<ConnectSessionRow | undefined> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const session = await findConnectSession(context.db, id);
      if (session && statusOf(session) !== 'pending') return session;
      await sleep(100);
    }
    return undefined;
  }

  async function formOf(session: ConnectSessionRow, platform: Platform, token: string) {
    const { name } = await getProjectRow(context.db, session.project_id);
    return { platform, projectName: name, sessionId: session.id, token };
  }
  return app;
}

async function findSession({ db }: Context, id: string): Promise<ConnectSessionRow | undefined> {
  return sessionIdPattern.test(id) ? findConnectSession(db, id) : undefined;
}

function platformOf({ platforms }: Context, session: ConnectSessionRow): Platform {
  const platform = platforms.get(session.platform);
  if (!platform) throw new Error(`The network ${session.platform} is configured no longer.`);
  return platform;
}

/** After the end: back to the client's page, or our own last one. */
function leave(session: ConnectSessionRow): Response {
  const url = returnUrlOf(session);
  if (url !== null) return new Response(null, { status: 303, headers: { Location: url } });
  const status = statusOf(session);
  return status === 'pending' ? troublePage(notValid, 409) : endedPage(status);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
