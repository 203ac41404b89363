// The definition of a REST route: method, path, scope, input, operation and answer.
import type { Context as HonoContext } from 'hono';
import { z } from 'zod';
import type { DeprecatedIn } from '../../schema/wire/deprecations.ts';
import type { Page, PageMeta } from '../../schema/wire/listing.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from './context.ts';
import type { CsvRow } from './csv.ts';
import type { RestEnv } from './request-id.ts';
import type { Answer } from './transact.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `any key`: the route needs no scope. */
type RouteScope = Scope | 'any key';

/** The answer of a route, and how it is made from the operation's result. */
interface AnswerShape<Result> {
  readonly statuses: readonly number[];
  readonly schema: z.ZodType | null;
  readonly isList: boolean;
  /** The position of the page. Default: `PageMeta`. */
  readonly meta?: z.ZodType;
  /** Members of the answer beside `data`. */
  readonly beside?: Readonly<Record<string, z.ZodType>>;
  /** Name of the CSV file that the answer is, instead of JSON. `schema` is that of its text. */
  readonly file?: string;
  render(result: Result): { status: number; body: Record<string, unknown> | null };
}

/** One resource. */
export function one<T>(schema: z.ZodType<T>): AnswerShape<T> {
  const render = (data: T) => ({ status: 200, body: { data } });
  return { statuses: [200], schema, isList: false, render };
}

/** A page of resources. */
export function list<T>(schema: z.ZodType<T>): AnswerShape<Page<T>> {
  const render = ({ data, meta }: Page<T>) => ({ status: 200, body: { data, meta } });
  return { statuses: [200], schema, isList: true, render };
}

/** A page of resources, with further members in its `meta`. */
export function listWithMeta<T, Meta extends PageMeta>(
  schema: z.ZodType<T>,
  meta: z.ZodType<Meta>,
): AnswerShape<{ data: T[]; meta: Meta }> {
  return { ...list(schema), meta };
}

/** A page of resources, with further members of the answer beside it. */
export function listWith<T, Beside extends Readonly<Record<string, z.ZodType>>>(
  schema: z.ZodType<T>,
  beside: Beside,
): AnswerShape<Page<T> & z.infer<z.ZodObject<Beside>>> {
  const render = (list: Page<T>) => ({ status: 200, body: { ...list } });
  return { statuses: [200], schema, isList: true, beside, render };
}

/** A written resource. The operation chooses the status. */
export function written<T>(
  statuses: number | readonly number[],
  schema: z.ZodType<T>,
): AnswerShape<Answer<T>> {
  const render = ({ status, data }: Answer<T>) => ({ status, body: { data } });
  return { statuses: [statuses].flat(), schema, isList: false, render };
}

/** A written resource whose data have `warnings`, which the answer shows beside `data`. */
export function writtenWithWarnings<T, Warning>(
  statuses: readonly number[],
  schema: z.ZodType<T>,
  warning: z.ZodType<Warning>,
): AnswerShape<Answer<T & { warnings: Warning[] }>> {
  const render = ({
    status,
    data: { warnings, ...data },
  }: Answer<T & { warnings: Warning[] }>) => ({
    status,
    body: { data, warnings },
  });
  const description = 'Issues that did not prevent the request, but may surprise you.';
  const beside = { warnings: z.array(warning).meta({ description }) };
  return { statuses, schema, isList: false, beside, render };
}

/** A CSV file, which is sent as it is read. */
export function csvFile(
  filename: string,
  columns: readonly string[],
): AnswerShape<AsyncIterable<string>> {
  const description = `RFC 4180 in UTF-8, with these columns: ${columns.map((name) => `\`${name}\``).join(', ')}.`;
  return {
    statuses: [200],
    schema: z.string().meta({ description }),
    isList: false,
    file: filename,
    render: () => ({ status: 200, body: null }),
  };
}

/** 204, after a removal. */
export const removed: AnswerShape<Answer<null>> = {
  statuses: [204],
  schema: null,
  isList: false,
  render: () => ({ status: 204, body: null }),
};

/** 204 after a removal, or 202 while it is in progress. */
export function removedOrRemoving<T>(): AnswerShape<Answer<T>> {
  const render = ({ status }: Answer<T>) => ({ status, body: null });
  return { statuses: [202, 204], schema: null, isList: false, render };
}

/** `/v1/webhooks/:id` → `{id: string}` */
type PathParams<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? PathParams<Head> & PathParams<Tail>
  : Path extends `:${infer Name}`
    ? Record<Name, string>
    : unknown;

interface RouteRequest<Params, Query, Body> {
  context: Context;
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
}

interface RouteSpec<Path extends string, Query, Body, Result> {
  /** The operation's name in the OpenAPI document. */
  name: string;
  /** GraphQL shows the summary and the description too, unless its field has its own. */
  summary: string;
  description?: string;
  scope: RouteScope;
  /** The version that deprecated the route. Absent: it isn't deprecated. */
  deprecatedIn?: DeprecatedIn;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** How many times larger than other bodies the body may be. Default: 1. */
  bodyTimes?: number;
  /** Whether a request without a body is valid. */
  isBodyOptional?: boolean;
  /** How a CSV file becomes the body. Absent: the route takes no CSV. */
  csv?: { readonly columns: readonly string[]; toBody(rows: CsvRow[]): Body };
  /** Reads the idempotency key of a body that can have one. */
  idempotencyKey?(body: Body): string | undefined;
  /** Whether the operation itself finds the stored answer of a repeat. */
  answersRepeats?: boolean;
  /** Whether a read is refused with 409 if an account has lost its access. */
  needsAccess?: boolean;
  answer: AnswerShape<Result>;
  /** Path of the resource that the request created or started, for the `Location` header of 201 and 202. */
  location?(result: Result, params: PathParams<Path>): string;
  /** How many targets of a deleted post are still public, for the header `Fanfare-Still-Public`. */
  stillPublic?(result: Result): number;
  run(request: RouteRequest<PathParams<Path>, Query, Body>): Result | Promise<Result>;
}

/** A route without its own types, for code that handles all routes. */
export interface Route extends RouteSpec<string, unknown, unknown, unknown> {
  readonly method: Method;
  readonly path: string;
}

/** Whether a repeat of the request would do it again, so that it may have an Idempotency-Key. */
export const takesKey = ({ method }: Pick<Route, 'method'>): boolean =>
  method === 'post' || method === 'patch';

function define(method: Method) {
  return <const Path extends string, Result, Query = unknown, Body = unknown>(
    path: Path,
    spec: RouteSpec<Path, Query, Body, Result>,
  ): Route => ({ method, path, ...(spec as unknown as Omit<Route, 'method' | 'path'>) });
}

export const get = define('get');
export const post = define('post');
export const put = define('put');
export const patch = define('patch');
export const del = define('delete');

/** A route without API key. `Needs`: the part of the program's context that it reads. */
export interface PublicPage<Needs = unknown> {
  path: string;
  respond(needs: Needs, c: HonoContext<RestEnv>): Response | Promise<Response>;
}
