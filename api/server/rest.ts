// The REST API: every route of the list behind the same checks, in the same order.
import { Hono, type Context as HonoContext } from 'hono';
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { AppError } from '../../schema/wire/errors.ts';
import { requireScope } from '../http/auth/api-keys.ts';
import { authenticateRequest, ofHeaders } from '../http/auth/sessions.ts';
import { parseJson, readBody, requireType } from '../http/body.ts';
import { readCsv, type CsvRow } from '../http/csv.ts';
import { deprecationHeaders } from '../http/deprecation.ts';
import { withoutNulls } from '../http/nulls.ts';
import type { Context } from '../http/context.ts';
import { robotsPage } from '../media/public-media.ts';
import { docPages } from '../reference/docs.ts';
import { toAppError, toErrorAnswer } from '../http/errors.ts';
import { notFoundPage, wantsPage } from '../http/pages/not-found.ts';
import { healthPages, type ProcessContext } from './health.ts';
import { asProject } from '../../activities/current-project.ts';
import { readIdempotency } from '../http/idempotency.ts';
import { countRequests, metricsPage } from './metrics.ts';
import { readRateLimit, countRequest } from '../http/rate-limit.ts';
import { readQuery } from './query.ts';
import { requestId, type RestEnv } from '../http/request-id.ts';
import { takesKey, type PublicPage, type Route } from '../http/route.ts';
import { routes } from '../resources/routes.ts';
import { findTextIssues } from '../http/text-issues.ts';
import { refuseAnswered, Replayed } from '../http/transact.ts';
import { validate } from '../http/validation.ts';

const publicPages = [...docPages, ...healthPages, robotsPage, metricsPage];

export type Rest = Hono<RestEnv>;

/** Serves only the pages. Every other path is a 404. */
export function createPages(
  context: ProcessContext,
  pages: readonly PublicPage<ProcessContext>[],
): Rest {
  const app: Rest = new Hono<RestEnv>();
  app.use(requestId, countRequests);
  app.onError((thrown, c) => refuse(context, thrown, c));
  app.notFound((c) => (wantsPage(c) ? notFoundPage(c) : refuse(context, noSuchPath(c), c)));
  for (const page of pages) app.get(page.path, (c) => page.respond(context, c));
  return app;
}

export function createRest(context: ProcessContext): Rest {
  const app = createPages(context, publicPages);
  // Of the handlers that match a request, the first one answers it.
  for (const [path, methods] of fixedFirst(methodsByPath())) {
    for (const route of routes.filter((each) => each.path === path)) {
      app.on(route.method.toUpperCase(), path, (c) => answer(context, route, c));
    }
    app.all(path, (c) => {
      c.header('Allow', methods.join(', '));
      const message = `${c.req.path} takes ${methods.join(', ')} only.`;
      return refuse(context, new AppError('method_not_allowed', message), c);
    });
  }
  return app;
}

/** Checks a request and runs its operation. A failed check throws. */
async function answer(context: Context, route: Route, c: HonoContext<RestEnv>): Promise<Response> {
  const request = c.req.raw;
  c.set('route', route.path);
  const caller = await authenticateRequest(context, ofHeaders(request.headers));
  if (!c.env?.isCounted) countRequest(context, caller);
  const showRateLimit = () => setHeaders(c, readRateLimit(context, caller));
  showRateLimit();
  const bytes = await readBody(request, context.config.maxBodyBytes * (route.bodyTimes ?? 1));
  const isCsv = requireType(request, bytes, route.csv !== undefined) === 'csv';
  const given = isCsv ? await readCsv(bytes) : parseJson(bytes);
  setHeaders(c, deprecationHeaders(route, new URL(c.req.url).searchParams.keys(), given));
  const scopes = route.scope === 'any key' ? [] : [requireScope(caller, route.scope)];
  const params = readParams(c);
  const query = readQuery(new URL(c.req.url), route.query ?? noMembers);
  const body = isCsv
    ? route.csv!.toBody(given as CsvRow[])
    : validate(route.body ?? noMembers, withoutNulls(given, route));
  const idempotency = takesKey(route)
    ? readIdempotency(request, bytes, scopes, route.idempotencyKey?.(body))
    : undefined;
  const asking = { ...caller, requestId: c.get('requestId'), ...(idempotency && { idempotency }) };
  try {
    const result = await asProject(caller.projectId, async () => {
      if (!route.answersRepeats) await refuseAnswered(context, asking);
      return route.run({ context, caller: asking, params, query, body });
    }).finally(showRateLimit);
    return route.answer.file === undefined
      ? send(c, route, params, result)
      : sendFile(context, c, route.answer.file, result as AsyncIterable<string>);
  } catch (error) {
    if (!(error instanceof Replayed)) throw error;
    c.header('Idempotency-Replayed', 'true');
    return send(c, route, params, error.answer);
  }
}

/** Sorts paths so that `/v1/posts/bulk` comes before `/v1/posts/:id`, which also matches it. */
function fixedFirst<T>(paths: Map<string, T>): [string, T][] {
  return [...paths].toSorted(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')));
}

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

/** Throws a 404 for an ID that Postgres can't store, because no resource has such an ID. */
function readParams(c: HonoContext<RestEnv>): Record<string, string> {
  const params = c.req.param();
  if (findTextIssues(params).length > 0) throw noSuchPath(c);
  return params;
}

function send(
  c: HonoContext<RestEnv>,
  route: Route,
  params: Record<string, string>,
  result: unknown,
): Response {
  const { status, body } = route.answer.render(result);
  if (route.location && (status === 201 || status === 202)) {
    c.header('Location', route.location(result, params));
  }
  const stillPublic = route.stillPublic?.(result) ?? 0;
  if (stillPublic > 0) c.header('Fanfare-Still-Public', String(stillPublic));
  c.header('Cache-Control', 'no-store');
  if (body === null) return c.body(null, status as StatusCode);
  return sendJson(c, { ...body, request_id: c.get('requestId') }, status);
}

/**
 * Asks for the next text only when the client has taken the one before. If the text fails on the way, the connection is
 * cut, because an answer that ended as usual would look complete.
 */
function sendFile(
  context: Context,
  c: HonoContext<RestEnv>,
  filename: string,
  text: AsyncIterable<string>,
): Response {
  async function* untilFailure() {
    try {
      yield* text;
    } catch (thrown) {
      toAppError(context, thrown, c.get('requestId'));
      c.env.req?.socket.destroy();
    }
  }
  c.header('Cache-Control', 'no-store');
  c.header('Content-Type', 'text/csv; charset=utf-8; header=present');
  c.header('Content-Disposition', `attachment; filename="${filename}"`);
  return c.body(ReadableStream.from(untilFailure()).pipeThrough(new TextEncoderStream()));
}

function refuse(context: Context, thrown: unknown, c: HonoContext<RestEnv>): Response {
  const requestId = c.get('requestId');
  const { status, headers, error } = toErrorAnswer(context, toAppError(context, thrown, requestId));
  setHeaders(c, { 'Cache-Control': 'no-store', ...headers });
  return sendJson(c, { error, request_id: requestId }, status);
}

/** Sets the length, so that compression can skip a small answer without reading it. */
function sendJson(c: HonoContext<RestEnv>, body: object, status: number): Response {
  const text = JSON.stringify(body);
  c.header('Content-Type', 'application/json');
  c.header('Content-Length', String(Buffer.byteLength(text)));
  return c.body(text, status as ContentfulStatusCode);
}

function noSuchPath(c: HonoContext<RestEnv>): AppError {
  const hint = 'See /docs for all paths.';
  return new AppError('not_found', `There is nothing at ${c.req.path.slice(0, 128)}.`, { hint });
}

function setHeaders(c: HonoContext<RestEnv>, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
