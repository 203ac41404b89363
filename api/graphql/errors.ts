// Errors in GraphQL: the codes of REST, in the extensions of each error.
import { GraphQLError } from 'graphql';
import { AppError, errorKinds, validationError, type Issue } from '../../schema/wire/errors.ts';
import { toEnumWord } from '../../schema/wire/enum-word.ts';
import type { Context } from '../http/context.ts';
import { toAppError, toErrorAnswer } from '../http/errors.ts';
import { toCamelCase } from './case-conversion.ts';
import { graphqlNames } from './input.ts';

const invalidStatus = errorKinds.validation_error.status;

interface HttpExtension {
  status?: number;
  headers?: Record<string, string>;
}

/** The error as clients see it. An unexpected error is logged and masked. */
export function presentError(
  context: Context,
  requestId: string,
  error: GraphQLError,
): GraphQLError {
  return present(context, requestId, error).shown;
}

/** The error as clients see it, with its HTTP status and headers for a request in which no field ran. */
export function presentHttpError(
  context: Context,
  requestId: string,
  error: GraphQLError,
): GraphQLError {
  const { shown, status, headers } = present(context, requestId, error);
  const isOfField = error.path !== undefined && status !== errorKinds.unauthorized.status;
  if (isOfField) return shown;
  const given = httpExtension(error);
  shown.extensions['http'] = {
    status: given?.status ?? status,
    headers: { ...given?.headers, ...headers },
    // GraphQL over HTTP answers an invalid document with 200 where the client accepts plain JSON.
    spec: given?.status === undefined ? status === invalidStatus : error.locations !== undefined,
  };
  return shown;
}

function present(context: Context, requestId: string, error: GraphQLError) {
  const known = fromLibrary(error) ?? toAppError(context, innermost(error), requestId);
  const { status, headers, error: body } = toErrorAnswer(context, known, graphqlNames);
  const { message, ...members } = body;
  const shown = new GraphQLError(message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { ...toExtensions(members), requestId },
  });
  return { shown, status, headers };
}

/** An error that graphql-js or Yoga raised before any field ran. Neither sets a code. */
function fromLibrary(error: GraphQLError): AppError | undefined {
  if (error.path || !(innermost(error) instanceof GraphQLError)) return undefined;
  const short = shorten(error);
  if (httpExtension(error)?.status === 405) return new AppError('method_not_allowed', short);
  const issue = { path: ['query'], code: 'invalid_document', message: short };
  return new AppError('validation_error', short, { issues: [issue] });
}

/**
 * Shortens the message. A syntax error quotes a token, which may be a string with a password. Other errors
 * quote long names.
 */
function shorten({ message, source, positions, nodes }: GraphQLError): string {
  const isAtString = !nodes && source?.body[positions?.[0] ?? -1] === '"';
  if (isAtString) return 'Syntax Error: Unexpected string.';
  return message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
}

const maxMessage = 500;

/** The error for a body or query string that isn't a GraphQL request. Its status is always 400. */
export function badRequest(...issues: Issue[]): GraphQLError {
  const originalError = validationError(issues);
  return new GraphQLError(originalError.message, {
    originalError,
    extensions: { http: { status: 400 } },
  });
}

/** The HTTP answer that Yoga intends for the error. */
function httpExtension(error: GraphQLError): HttpExtension | undefined {
  const { http } = error.extensions as { http?: HttpExtension };
  return http;
}

/** Anything thrown, as a GraphQLError. */
export function toGraphqlError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}

function innermost(error: unknown): unknown {
  let inner = error;
  while (inner instanceof GraphQLError && inner.originalError) inner = inner.originalError;
  return inner;
}

const enumMembers = new Set(['post_status', 'platform', 'severity']);

/** Enum values are upper case in GraphQL, such as the `post_status` of a conflict. */
function toExtensions(members: object): Record<string, unknown> {
  const convert = (key: string, value: unknown): unknown => {
    if (key === 'issues') return (value as object[]).map(toExtensions);
    return enumMembers.has(key) && typeof value === 'string' ? toEnumWord(value) : value;
  };
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [toCamelCase(key), convert(key, value)]),
  );
}
