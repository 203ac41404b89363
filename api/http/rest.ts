// The REST API: every route of the list behind the same checks, in the same order.
import { Hono, type Context as HonoContext } from 'hono';
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import { authenticate, requireScope } from './auth.ts';
import { parseJson, readBody, requireJsonType } from './body.ts';
import type { Context } from '../server/context.ts';
import { docPages } from '../reference/docs.ts';
import { toAppError, toErrorAnswer } from './errors.ts';
import { healthPages } from '../server/health.ts';
import { readIdempotency } from './idempotency.ts';
import { countRequests, metricsPage } from '../server/metrics.ts';
import type { PublicPage } from './public-page.ts';
import { rateLimitHeaders, takeRequest } from './rate-limit.ts';
import { requestId, type RestEnv } from './request-id.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { findTextFaults } from './text-faults.ts';
import { refuseAnswered, Replayed } from './transact.ts';
import { bodyOptions, queryOptions, validate } from './validation.ts';

const publicPages = [...docPages, ...healthPages, metricsPage];

export type Rest = Hono<RestEnv>;

/** The pages alone; every other path is a 404. */
export function createPages(context: Context, pages: readonly PublicPage[]): Rest {
  const app: Rest = new Hono<RestEnv>();
  app.use(requestId, countRequests);
  app.onError((thrown, c) => refuse(context, thrown, c));
  app.notFound((c) => refuse(context, noSuchPath(c), c));
  for (const page of pages) app.get(page.path, (c) => page.respond(context, c));
  return app;
}

export function createRest(context: Context): Rest {
  const app = createPages(context, publicPages);
  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path, (c) => answer(context, route, c));
  }
  for (const [path, methods] of methodsByPath()) {
    app.all(path, (c) => {
      c.header('Allow', methods.join(', '));
      const message = `${c.req.path} takes ${methods.join(', ')} only.`;
      return refuse(context, new AppError('method_not_allowed', message), c);
    });
  }
  return app;
}

/** One request through all checks; each throws the refusal that it stands for. */
async function answer(context: Context, route: Route, c: HonoContext<RestEnv>): Promise<Response> {
  const request = c.req.raw;
  c.set('route', route.path);
  const caller = await authenticate(context, request.headers.get('Authorization'));
  const rateLimit = takeRequest(context, caller);
  if (rateLimit) setHeaders(c, rateLimitHeaders(rateLimit));
  const bytes = await readBody(request, context.config.maxBodyBytes);
  requireJsonType(request, bytes);
  const json = parseJson(bytes);
  const scopes = route.scope === 'any key' ? [] : [route.scope];
  for (const scope of scopes) requireScope(caller, scope);
  const params = readParams(c);
  const query = validate(route.query ?? noMembers, readQuery(c), queryOptions);
  const body = validate(route.body ?? noMembers, json, bodyOptions);
  const idempotency =
    route.method === 'post'
      ? readIdempotency(request, bytes, scopes, route.idempotencyKey?.(body))
      : undefined;
  const asking = { ...caller, requestId: c.get('requestId'), ...(idempotency && { idempotency }) };
  try {
    await refuseAnswered(context, asking);
    const result = await route.run({ context, caller: asking, params, query, body });
    return send(c, route, result);
  } catch (error) {
    if (!(error instanceof Replayed)) throw error;
    c.header('Idempotency-Replayed', 'true');
    return send(c, route, error.answer);
  }
}

/** Each path and the methods that it takes. */
function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  const add = (path: string, ...names: string[]) =>
    methods.set(path, [...(methods.get(path) ?? []), ...names]);
  for (const { path } of publicPages) add(path, 'GET', 'HEAD');
  for (const { path, method } of routes) {
    if (method === 'get') add(path, 'GET', 'HEAD');
    else add(path, method.toUpperCase());
  }
  return methods;
}

const noMembers = z.strictObject({});

/** An id that text in Postgres can't hold names nothing. */
function readParams(c: HonoContext<RestEnv>): Record<string, string> {
  const params = c.req.param();
  if (findTextFaults(params).length > 0) throw noSuchPath(c);
  return params;
}

function readQuery(c: HonoContext<RestEnv>): Record<string, string> {
  // Without a prototype, so that `__proto__` is a name like any other.
  const query = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URL(c.req.url).searchParams) {
    if (name in query) {
      const message = 'is given more than once';
      throw validationError([{ path: name, code: 'repeated_parameter', message }]);
    }
    query[name] = value;
  }
  return query;
}

function send(c: HonoContext<RestEnv>, route: Route, result: unknown): Response {
  const { status, body } = route.answer.render(result);
  c.header('Cache-Control', 'no-store');
  if (body === null) return c.body(null, status as StatusCode);
  return c.json({ ...body, request_id: c.get('requestId') }, status as ContentfulStatusCode);
}

function refuse(context: Context, thrown: unknown, c: HonoContext<RestEnv>): Response {
  const requestId = c.get('requestId');
  const { status, headers, error } = toErrorAnswer(context, toAppError(context, thrown, requestId));
  setHeaders(c, { 'Cache-Control': 'no-store', ...headers });
  return c.json({ error, request_id: requestId }, status as ContentfulStatusCode);
}

function noSuchPath(c: HonoContext<RestEnv>): AppError {
  const hint = 'See /docs for every path.';
  return new AppError('not_found', `Nothing is at ${c.req.path.slice(0, 128)}.`, { hint });
}

function setHeaders(c: HonoContext<RestEnv>, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
