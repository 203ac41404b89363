// Runs an operation for a GraphQL field: scope, input by the resource's schema, Idempotency-Key.
import { createHash } from 'node:crypto';
import { Kind, type FieldNode, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';
import type { z } from 'zod';
import type { Scope } from '../../schema/scopes.ts';
import { AppError, notFound, validationError } from '../../schema/wire/errors.ts';
import type { Names } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import { requireScope } from '../http/auth/api-keys.ts';
import { checkKey, keyHeaderPath, toIdempotency } from '../http/idempotency.ts';
import { countRequest } from '../http/rate-limit.ts';
import { findTextIssues } from '../http/text-issues.ts';
import { refuseAnswered, Replayed, type Answer } from '../http/transact.ts';
import { validate } from '../http/validation.ts';
import { toSnakeCase } from './case-conversion.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import { namesAt, toArgumentPath, toWire, type Place } from './input.ts';

/** Where the input of an operation is in its arguments. */
function placeOfInput({ parentType, fieldName }: GraphQLResolveInfo, value: unknown): Place {
  const { args } = parentType.getFields()[fieldName]!;
  const argument = args.find(({ name }) => name === 'input');
  if (!argument) return {};
  const beside = args.map(({ name }) => name).filter((name) => name !== 'input');
  return { input: { type: argument.type, value }, beside };
}

const pageNames = { limit: 'first', cursor: 'after' };

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

export type Arguments = Readonly<Record<string, unknown>>;

/** Reads a list. The arguments are checked as REST checks the query. */
export async function list<Query, T>(
  graphql: GraphqlContext,
  scope: Scope | undefined,
  schema: z.ZodType<Query>,
  args: Arguments,
  run: (context: Context, caller: Caller, query: Query) => Promise<T>,
  { names = {}, keys = {} }: Pick<Place, 'names' | 'keys'> = {},
): Promise<T> {
  const caller = requireCaller(graphql, scope);
  try {
    const read = (given: Arguments) => validate(schema, toQuery(given), { member: 'parameter' });
    // Connections may have empty pages, which REST refuses.
    const query = args['first'] === 0 ? { ...read({ ...args, first: 1 }), limit: 0 } : read(args);
    return await run(graphql.app, caller, query);
  } catch (error) {
    throw atPlace(error, { names: { ...pageNames, ...names }, keys });
  }
}

/** Converts arguments to a REST query: `first` is `limit`, `after` is `cursor`, numbers and booleans are text. */
function toQuery({ first, after, ...filters }: Arguments): Record<string, unknown> {
  const members = Object.entries({ limit: first, cursor: after, ...filters });
  const given = members.filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [
      toSnakeCase(name),
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ]),
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
  /** Whether the operation itself finds the stored answer of a repeat. */
  answersRepeats?: boolean;
}

/** `names`: how messages name the fields of the input. */
type Run<Input, T> = (context: Context, caller: Caller, input: Input, names: Names) => Promise<T>;

/** Runs an operation on an input, and counts it as a request. Ignores its idempotency key. */
export async function check<Input, T>(
  graphql: GraphqlContext,
  { scope, schema, args, info }: Write<Input>,
  run: Run<Input, T>,
): Promise<T> {
  const caller = requireCaller(graphql, scope);
  const [first] = fieldsOf(info);
  // The first field is already counted, with the request itself.
  if (info.fieldNodes[0] !== first) countRequest(graphql.app, caller);
  const place = placeOfInput(info, args.input);
  try {
    const given = place.input?.value ? toWire(place.input.value, place.input.type, schema) : {};
    return await run(graphql.app, caller, validate(schema, given), namesAt(place));
  } catch (error) {
    throw atPlace(error, place);
  }
}

/** Runs a mutation. A repeat with the same idempotency key returns the first answer. */
export async function write<Input, T>(
  graphql: GraphqlContext,
  operation: Write<Input>,
  run: Run<Input, Answer<T>>,
): Promise<T> {
  const { scope, args, info } = operation;
  const grant = requireScope(requireCaller(graphql), scope);
  const keyInHeader = keyOfRequest(graphql, info);
  const keyBeside = checkKey(args.idempotencyKey, ['idempotencyKey']);
  try {
    return await check(graphql, operation, async (app, caller, input, names) => {
      const key = keyBeside ?? idempotencyKeyIn(input) ?? keyInHeader;
      const asking = {
        ...caller,
        requestId: graphql.requestId,
        ...(key !== undefined && {
          idempotency: toIdempotency(key, fingerprintOf(info, args), [grant]),
        }),
      };
      if (!operation.answersRepeats) await refuseAnswered(app, asking);
      return (await run(app, asking, input, names)).data;
    });
  } catch (error) {
    if (error instanceof Replayed) return error.answer.data as T;
    throw error;
  }
}

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
  const [, second] = fieldsOf(info);
  if (idempotencyKey === undefined || !second) return idempotencyKey;
  const message = 'must not be sent with several mutations. Give each its own `idempotencyKey`.';
  throw validationError([{ path: keyHeaderPath, code: 'ambiguous', message }]);
}

/**
 * Yields the fields of the document's operation, also those in fragments. Yields them one by one, because
 * there may be hundreds.
 */
function fieldsOf({ operation, fragments }: GraphQLResolveInfo): Iterable<FieldNode> {
  function* fieldsIn({ selections }: SelectionSetNode): Generator<FieldNode, void> {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) yield selection;
      else {
        const isInline = selection.kind === Kind.INLINE_FRAGMENT;
        const fragment = isInline ? selection : fragments[selection.name.value]!;
        yield* fieldsIn(fragment.selectionSet);
      }
    }
  }
  return fieldsIn(operation.selectionSet);
}

function fingerprintOf(info: GraphQLResolveInfo, args: object): Buffer {
  return createHash('sha256')
    .update(`graphql ${info.fieldName}\n${JSON.stringify(args)}`)
    .digest();
}

/** Throws `not_found` for an ID that Postgres can't store, because no resource has such an ID. */
export function readId(resource: string, id: string): string {
  if (findTextIssues(id).length > 0) throw notFound(resource, 'given');
  return id;
}
