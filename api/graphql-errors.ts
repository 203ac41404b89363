// What GraphQL answers where REST would refuse: the same codes, in the extensions of each error.
import { GraphQLError } from 'graphql';
import { AppError, validationError } from '../schema/errors.ts';
import type { Context } from './context.ts';
import { toAppError, toErrorAnswer } from './errors.ts';
import { toCamelCase } from './graphql-spelling.ts';

interface HttpExtension {
  status?: number;
  headers?: Record<string, string>;
  /** Whether a client that asked for plain JSON gets 200 all the same. */
  spec?: boolean;
}

/** The result with every error in our form; what nobody foresaw is logged and masked. */
export function presentErrors<Result extends { errors?: readonly GraphQLError[] | undefined }>(
  context: Context,
  requestId: string,
  result: Result,
): Result {
  if (!result.errors?.length) return result;
  const errors = result.errors.map((error) => presentError(context, requestId, error));
  return { ...result, errors };
}

export function presentError(
  context: Context,
  requestId: string,
  error: GraphQLError,
): GraphQLError {
  const http = error.extensions['http'] as HttpExtension | undefined;
  const known = fromDocument(error, http) ?? toAppError(context, innermost(error), requestId);
  const { status, headers, error: body } = toErrorAnswer(context, known);
  const { message, ...members } = body;
  return new GraphQLError(message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: {
      ...camelCased(members),
      requestId,
      ...(error.path && known.code !== 'unauthorized'
        ? {}
        : { http: { spec: http?.spec ?? false, status: http?.status ?? status, headers } }),
    },
  });
}

/** A fault of the request or its document, which the server found before any field ran. */
function fromDocument(error: GraphQLError, http: HttpExtension | undefined): AppError | undefined {
  const cause = innermost(error);
  if (!(cause instanceof GraphQLError)) return undefined;
  const { message } = cause;
  if (http?.status === 413) return new AppError('payload_too_large', 'The body is too large.');
  if (http?.status === 405) return new AppError('method_not_allowed', message);
  if (/invalid JSON/i.test(message)) return new AppError('malformed_json', message);
  const variable = /^Variable "\$(\w+)" .*? at "([^"]+)"; (.*)$/s.exec(message);
  const path = variable?.[2] ?? /^Variable "\$(\w+)"/.exec(message)?.[1] ?? 'query';
  const code = path === 'query' ? 'invalid_document' : 'invalid_type';
  const refusal = validationError([{ path, code, message: variable?.[3] ?? message }]);
  return new AppError('validation_error', message, refusal.options);
}

function innermost(error: unknown): unknown {
  let inner = error;
  while (inner instanceof GraphQLError && inner.originalError) inner = inner.originalError;
  return inner;
}

function camelCased(members: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [toCamelCase(key), value]),
  );
}
