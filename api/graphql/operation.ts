// Runs an operation for a GraphQL field: scope, input by the resource's schema, Idempotency-Key.
import { createHash } from 'node:crypto';
import { Kind, type FieldNode, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';
import type { z } from 'zod';
import { AppError, notFound, validationError } from '../../schema/wire/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from '../http/context.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import { checkKey, keyHeaderPath } from '../http/idempotency.ts';
import { toSnakeCase } from './case-conversion.ts';
import { toArgumentPath, toWire, type Place } from './input.ts';
import { findTextIssues } from '../http/text-issues.ts';
import { countRequest } from '../http/rate-limit.ts';
import { refuseAnswered, Replayed, type Answer } from '../http/transact.ts';
import { validate } from '../http/validation.ts';

/** Where the input of an operation is in its arguments. */
export function inInput(args: { input?: unknown }, info: GraphQLResolveInfo): Place {
  const argument = findInputArgument(info);
  if (!argument) return {};
  const beside = argumentsOf(info).flatMap(({ name }) => (name === 'input' ? [] : [name]));
  return { input: { type: argument.type, value: args.input }, beside };
}
const inArguments: Place = { names: { limit: 'first', cursor: 'after' } };

/** The error with its paths as the GraphQL client wrote them. */
function atPlace(error: unknown, place: Place): unknown {
  if (!(error instanceof AppError)) return error;
  return error.withPaths((path) => toArgumentPath(path, place));
}

/** Reads one resource. */
export async function read<T>(
  graphql: GraphqlContext,
  scope: Scope | undefined,
  run: (context: Context, caller: Caller) => T | Promise<T>,
): Promise<T> {
  return run(graphql.app, requireCaller(graphql, scope));
}

export type Arguments = Record<string, string | number | boolean | null | undefined>;

/** Reads a list. The arguments are checked as REST checks the query. */
export async function list<Query, T>(
  graphql: GraphqlContext,
  scope: Scope | undefined,
  schema: z.ZodType<Query>,
  args: Arguments,
  run: (context: Context, caller: Caller, query: Query) => Promise<T>,
): Promise<T> {
  const caller = requireCaller(graphql, scope);
  try {
    const read = (given: Arguments) => validate(schema, toQuery(given), { member: 'parameter' });
    // Connections may have empty pages, which REST refuses.
    const query = args['first'] === 0 ? { ...read({ ...args, first: 1 }), limit: 0 } : read(args);
    return await run(graphql.app, caller, query);
  } catch (error) {
    throw atPlace(error, inArguments);
  }
}

/** Converts arguments to a REST query: `first` is `limit`, `after` is `cursor`, every value is text. */
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
    [beside: string]: unknown;
  };
  info: GraphQLResolveInfo;
}

/** Runs an operation on an input, and counts it as a request. Ignores its idempotency key. */
export async function check<Input, T>(
  graphql: GraphqlContext,
  { scope, schema, args, info }: Write<Input>,
  run: (context: Context, caller: Caller, input: Input) => Promise<T>,
): Promise<T> {
  const caller = requireCaller(graphql, scope);
  // The request itself pays for its first field.
  if (info.fieldNodes[0] !== fieldsOf(info)[0]) countRequest(graphql.app, caller);
  try {
    const input = validate(schema, readInput(args.input, info, schema));
    return await run(graphql.app, caller, input);
  } catch (error) {
    throw atPlace(error, inInput(args, info));
  }
}

/** Runs a mutation. A repeat with the same idempotency key returns the first answer. */
export async function write<Input, T>(
  graphql: GraphqlContext,
  { scope, schema, args, info }: Write<Input>,
  run: (context: Context, caller: Caller, input: Input) => Promise<Answer<T>>,
): Promise<T> {
  requireCaller(graphql, scope);
  const keyInHeader = keyOfRequest(graphql, info);
  const keyBeside = checkKey(args.idempotencyKey, ['idempotencyKey']);
  try {
    return await check(graphql, { scope, schema, args, info }, async (app, caller, input) => {
      const key = keyBeside ?? idempotencyKeyIn(input) ?? keyInHeader;
      const asking = {
        ...caller,
        requestId: graphql.requestId,
        ...(key !== undefined && {
          idempotency: { key, fingerprint: fingerprintOf(info, args), scopes: [scope] },
        }),
      };
      await refuseAnswered(app, asking);
      return (await run(app, asking, input)).data;
    });
  } catch (error) {
    if (error instanceof Replayed) return error.answer.data as T;
    throw error;
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

const argumentsOf = ({ parentType, fieldName }: GraphQLResolveInfo) =>
  parentType.getFields()[fieldName]!.args;

const findInputArgument = (info: GraphQLResolveInfo) =>
  argumentsOf(info).find(({ name }) => name === 'input');

function idempotencyKeyIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('idempotency_key' in input)) {
    return undefined;
  }
  return input.idempotency_key as string | undefined;
}

/** The header, which applies only to a single mutation. */
function keyOfRequest(
  { idempotencyKey }: GraphqlContext,
  info: GraphQLResolveInfo,
): string | undefined {
  if (idempotencyKey === undefined || fieldsOf(info).length === 1) return idempotencyKey;
  const message = 'must not be sent with several mutations. Give each its own `idempotencyKey`.';
  throw validationError([{ path: keyHeaderPath, code: 'ambiguous', message }]);
}

/** The fields of the document's operation, also those in fragments. */
function fieldsOf({ operation, fragments }: GraphQLResolveInfo): FieldNode[] {
  const fieldsIn = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      const fragment = isInline ? selection : fragments[selection.name.value]!;
      return fieldsIn(fragment.selectionSet);
    });
  return fieldsIn(operation.selectionSet);
}

function fingerprintOf(info: GraphQLResolveInfo, args: object): Buffer {
  return createHash('sha256')
    .update(`graphql ${info.fieldName}\n${JSON.stringify(args)}`)
    .digest();
}

/** No resource has an ID that Postgres can't store. */
export function readId(resource: string, id: string): string {
  if (findTextIssues(id).length > 0) throw notFound(resource, 'given');
  return id;
}
