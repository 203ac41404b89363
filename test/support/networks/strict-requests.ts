// How the simulated networks read requests. They refuse any request that differs from the documented form.
import { z } from 'zod';
import type { RefusalKind } from './contract/subject.ts';

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  toResponse(): Response {
    const { status, code, message, headers } = this;
    return Response.json({ error: { code, message } }, { status, headers });
  }
}

/** Refusals of a network that doesn't have its own words. */
export function refuse(kind: RefusalKind): Response {
  return refusals[kind].toResponse();
}

const refusals: Record<RefusalKind, Refusal> = {
  limited: new Refusal(429, 'limited', 'Too many requests.'),
  limited_with_retry_after: new Refusal(429, 'limited', 'Too many.', { 'retry-after': '1' }),
  unavailable: new Refusal(503, 'unavailable', 'Down for maintenance.'),
  error: new Refusal(500, 'internal', 'Something broke.'),
  rejected: new Refusal(422, 'not_welcome', 'This is not welcome here.'),
};

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Matches the whole path, without the query. */
  path: RegExp;
  /** `params`: the texts that the groups of `path` matched. */
  handle(request: Request, params: string[]): Promise<Response> | Response;
}

export async function dispatch(routes: Route[], request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const there = routes.filter((route) => route.path.test(pathname));
  const route = there.find(({ method }) => method === request.method);
  try {
    if (there.length === 0) throw new Refusal(404, 'not_found', 'Nothing is here.');
    if (!route) throw new Refusal(405, 'wrong_method', 'Not with this method.');
    return await route.handle(request, route.path.exec(pathname)!.slice(1));
  } catch (error) {
    if (error instanceof Refusal) return error.toResponse();
    throw error;
  }
}

export async function readJson<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  expectType(request, 'application/json');
  return check(schema, await request.json().catch(() => undefined));
}

export async function readForm<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  expectType(request, 'application/x-www-form-urlencoded');
  return check(schema, Object.fromEntries(new URLSearchParams(await request.text())));
}

export async function readBytes(request: Request): Promise<Buffer> {
  expectType(request, 'application/octet-stream');
  return Buffer.from(await request.arrayBuffer());
}

function expectType(request: Request, type: string): void {
  const given = request.headers.get('content-type')?.split(';')[0];
  if (given !== type) throw new Refusal(415, 'wrong_type', `Send ${type}.`);
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Refusal(422, 'invalid', z.prettifyError(parsed.error));
}
