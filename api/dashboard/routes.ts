// The dashboard's own routes: its files, and the sign-in of a browser. Everything else it does is GraphQL.
import { Hono, type Context as HonoContext } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { isLoopback } from '../../schema/config/cross-checks.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { parseJson, readBody, requireType } from '../http/body.ts';
import type { Context } from '../http/context.ts';
import { isSecure, requireOwnOrigin } from '../http/auth/origins.ts';
import { authenticateSession, ofHeaders, sessionCookie } from '../http/auth/sessions.ts';
import { notFoundPage, wantsPage } from '../http/pages/not-found.ts';
import { respondError } from '../http/errors.ts';
import { countRequest } from '../http/rate-limit.ts';
import { validate } from '../http/validation.ts';
import { createFiles } from './files.ts';
import { refuse, sessionS, signInByCode, signInByKey, signOut } from './sign-in.ts';

interface DashboardEnvironment {
  /** Node's own request. */
  Bindings: { req: IncomingMessage };
}
type DashboardContext = HonoContext<DashboardEnvironment>;

const maxBodyBytes = 4_096;
const SignIn = z.strictObject({ api_key: z.string().optional(), code: z.string().optional() });

/** Expects full paths, starting with `/dashboard`. */
export function createDashboardRoutes(context: Context): Hono<DashboardEnvironment> {
  const app = new Hono<DashboardEnvironment>().basePath('/dashboard');
  app.onError((error, c) => respondError(context, c.req.raw, error));

  app.post('/session', async (c) => {
    requireOwnOrigin(context, c.req.header('Origin'));
    const token = await openSession(context, c);
    setCookie(c, sessionCookie(context), token, { ...cookieOptions(context), maxAge: sessionS });
    return noContent(c);
  });

  app.delete('/session', async (c) => {
    const caller = await authenticateSession(context, ofHeaders(c.req.raw.headers));
    countRequest(context, caller);
    await signOut(context.db, caller.sessionId);
    deleteCookie(c, sessionCookie(context), cookieOptions(context));
    return noContent(c);
  });

  const respondFile = createFiles();
  app.get('/*', async (c) => {
    const path = c.req.path.slice('/dashboard/'.length);
    const file = await respondFile(path, c.req.header('If-None-Match'));
    return file ?? nothing(c);
  });
  app.notFound(nothing);
  return app;
}

function nothing(c: HonoContext): Promise<Response> {
  if (wantsPage(c)) return notFoundPage(c);
  throw new AppError('not_found', `There is nothing at ${c.req.path.slice(0, 128)}.`);
}

/** Returns the value of the cookie. */
async function openSession(context: Context, c: DashboardContext): Promise<string> {
  const bytes = await readBody(c.req.raw, maxBodyBytes);
  requireType(c.req.raw, bytes, false);
  const { api_key: key, code } = validate(SignIn, parseJson(bytes));
  if (key !== undefined && code === undefined) return signInByKey(context, key);
  if (code === undefined || key !== undefined) {
    throw refuse('api_key', 'required', 'is required, or else a code');
  }
  requireLoopback(c);
  return signInByCode(context.db, code);
}

/** The code is printed on the terminal of this machine. */
function requireLoopback({ env: { req } }: DashboardContext): void {
  const address = req.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  if (isLoopback(address)) return;
  throw refuse('code', 'not_local', 'works only on the machine that runs Fanfare');
}

function cookieOptions({ publicUrl }: Context) {
  return {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: isSecure(publicUrl),
  } as const;
}

function noContent(c: DashboardContext): Response {
  c.header('Cache-Control', 'no-store');
  return c.body(null, 204);
}
