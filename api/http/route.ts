// The form of a REST route: method, path, scope, what goes in, the operation, what comes out.
import type { z } from 'zod';
import type { Page } from '../../schema/wire/listing.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from '../server/context.ts';
import type { Answer } from './transact.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `any key`: no scope of its own. */
export type RouteScope = Scope | 'any key';

/** What a route answers, and how the operation's result becomes it. */
export interface AnswerShape<Result> {
  readonly statuses: readonly number[];
  readonly schema: z.ZodType | null;
  readonly isList: boolean;
  render(result: Result): { status: number; body: Record<string, unknown> | null };
}

/** One resource, read. */
export function one<T>(schema: z.ZodType<T>): AnswerShape<T> {
  const render = (data: T) => ({ status: 200, body: { data } });
  return { statuses: [200], schema, isList: false, render };
}

/** A page of resources. */
export function list<T>(schema: z.ZodType<T>): AnswerShape<Page<T>> {
  const render = ({ data, meta }: Page<T>) => ({ status: 200, body: { data, meta } });
  return { statuses: [200], schema, isList: true, render };
}

/** What a write made; the operation says which of the statuses it is. */
export function written<T>(
  statuses: number | readonly number[],
  schema: z.ZodType<T>,
): AnswerShape<Answer<T>> {
  const render = ({ status, data }: Answer<T>) => ({ status, body: { data } });
  return { statuses: [statuses].flat(), schema, isList: false, render };
}

/** 204, after a removal. */
export const removed: AnswerShape<Answer<null>> = {
  statuses: [204],
  schema: null,
  isList: false,
  render: () => ({ status: 204, body: null }),
};

/** `/v1/webhooks/:id` → `{id: string}` */
export type PathParams<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? PathParams<Head> & PathParams<Tail>
  : Path extends `:${infer Name}`
    ? Record<Name, string>
    : unknown;

export interface RouteRequest<Params, Query, Body> {
  context: Context;
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
}

export interface RouteSpec<Path extends string, Query, Body, Result> {
  /** The operation's name, for clients made from the OpenAPI document. */
  name: string;
  summary: string;
  description?: string;
  scope: RouteScope;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Where the body too may carry an idempotency key. */
  idempotencyKey?(body: Body): string | undefined;
  answer: AnswerShape<Result>;
  run(request: RouteRequest<PathParams<Path>, Query, Body>): Result | Promise<Result>;
}

/** A route with its types worn off, for those who handle all of them. */
export interface Route extends Omit<
  RouteSpec<string, unknown, unknown, unknown>,
  'run' | 'idempotencyKey' | 'answer'
> {
  readonly method: Method;
  readonly path: string;
  readonly answer: AnswerShape<unknown>;
  idempotencyKey?(body: unknown): string | undefined;
  run(request: RouteRequest<Record<string, string>, unknown, unknown>): unknown;
}

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
