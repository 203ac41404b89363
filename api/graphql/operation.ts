// How a GraphQL field runs an operation: scope, input by the resource's own schema, Idempotency-Key.
import { createHash } from 'node:crypto';
import { Kind, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';
import type { z } from 'zod';
import { notFound, validationError } from '../../schema/wire/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from '../server/context.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import { checkKey } from '../http/idempotency.ts';
import { spellError, toSnakeCase, toWire, type Place } from './case-conversion.ts';
import { findTextFaults } from '../http/text-faults.ts';
import { refuseAnswered, Replayed, type Answer } from '../http/transact.ts';
import { bodyOptions, queryOptions, validate } from '../http/validation.ts';

/** Where the input of an operation stands. Without one, faults are those of the thing it is about. */
export function inInput(args: { input?: unknown }, info: GraphQLResolveInfo): Place {
  const argument = findInputArgument(info);
  return argument ? { input: { type: argument.type, value: args.input } } : {};
}
const inArguments: Place = { names: { limit: 'first', cursor: 'after' } };

/** Reads one thing. */
export async function read<T>(
  graphql: GraphqlContext,
  scope: Scope | undefined,
  run: (context: Context, caller: Caller) => T | Promise<T>,
): Promise<T> {
  return run(graphql.app, requireCaller(graphql, scope));
}

export type Arguments = Record<string, string | number | boolean | null | undefined>;

/** Reads a list; the arguments are checked as REST checks the query. */
export async function list<Query, T>(
  graphql: GraphqlContext,
  scope: Scope | undefined,
  schema: z.ZodType<Query>,
  args: Arguments,
  run: (context: Context, caller: Caller, query: Query) => Promise<T>,
): Promise<T> {
  const caller = requireCaller(graphql, scope);
  try {
    return await run(graphql.app, caller, validate(schema, toQuery(args), queryOptions));
  } catch (error) {
    throw spellError(error, inArguments);
  }
}

/** `first` and `after` are `limit` and `cursor`; a query knows no types but text. */
function toQuery({ first, after, ...filters }: Arguments): Record<string, string> {
  const members = Object.entries({ limit: first, cursor: after, ...filters });
  return Object.fromEntries(
    members.flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[toSnakeCase(name), String(value)]],
    ),
  );
}

export interface Write<Input> {
  scope: Scope;
  /** The schema of the argument `input`. */
  schema: z.ZodType<Input>;
  args: {
    id?: string;
    input?: object | null | undefined;
    idempotencyKey?: string | null | undefined;
  };
  info: GraphQLResolveInfo;
}

/** Reads something about an input. A key in it means nothing, since nothing is written. */
export async function judge<Input, T>(
  graphql: GraphqlContext,
  { scope, schema, args, info }: Write<Input>,
  run: (context: Context, caller: Caller, input: Input) => Promise<T>,
): Promise<T> {
  const caller = requireCaller(graphql, scope);
  try {
    const input = validate(schema, readInput(args.input, info, schema), bodyOptions);
    return await run(graphql.app, caller, input);
  } catch (error) {
    throw spellError(error, inInput(args, info));
  }
}

/** Does something once, however often it is asked with the same key. */
export async function write<Input, T>(
  graphql: GraphqlContext,
  { scope, schema, args, info }: Write<Input>,
  run: (context: Context, caller: Caller, input: Input) => Promise<Answer<T>>,
): Promise<T> {
  const caller = requireCaller(graphql, scope);
  const keyInHeader = keyOfRequest(graphql, info);
  const keyBeside = checkKey(args.idempotencyKey, 'idempotencyKey');
  try {
    const input = validate(schema, readInput(args.input, info, schema), bodyOptions);
    const key = keyBeside ?? idempotencyKeyIn(input) ?? keyInHeader;
    const asking = {
      ...caller,
      requestId: graphql.requestId,
      ...(key !== undefined && {
        idempotency: { key, fingerprint: fingerprintOf(info, args), scopes: [scope] },
      }),
    };
    await refuseAnswered(graphql.app, asking);
    return (await run(graphql.app, asking, input)).data;
  } catch (error) {
    if (error instanceof Replayed) return error.answer.data as T;
    throw spellError(error, inInput(args, info));
  }
}

function readInput(
  input: object | null | undefined,
  info: GraphQLResolveInfo,
  schema: z.ZodType,
): unknown {
  const argument = findInputArgument(info);
  return argument && input ? toWire(input, argument.type, schema) : {};
}

function findInputArgument({ parentType, fieldName }: GraphQLResolveInfo) {
  return parentType.getFields()[fieldName]!.args.find(({ name }) => name === 'input');
}

function idempotencyKeyIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('idempotency_key' in input)) {
    return undefined;
  }
  return input.idempotency_key as string | undefined;
}

/** The header, which can mean one mutation only. */
function keyOfRequest(
  { idempotencyKey }: GraphqlContext,
  { operation, fragments }: GraphQLResolveInfo,
): string | undefined {
  if (idempotencyKey === undefined || countFields(operation.selectionSet, fragments) === 1) {
    return idempotencyKey;
  }
  const message = 'must not stand beside several mutations: give each its own `idempotencyKey`';
  throw validationError([{ path: 'headers.Idempotency-Key', code: 'ambiguous', message }]);
}

function countFields(
  { selections }: SelectionSetNode,
  fragments: GraphQLResolveInfo['fragments'],
): number {
  return selections.reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD) return sum + 1;
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value]!;
    return sum + countFields(fragment.selectionSet, fragments);
  }, 0);
}

function fingerprintOf(info: GraphQLResolveInfo, args: object): Buffer {
  return createHash('sha256')
    .update(`graphql ${info.fieldName}\n${JSON.stringify(args)}`)
    .digest();
}

/** An id that text in Postgres can't hold names nothing. */
export function readId(what: string, id: string): string {
  if (findTextFaults(id).length > 0) throw notFound(what, 'given');
  return id;
}
