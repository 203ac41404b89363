// What GraphQL answers where REST would refuse: the same codes, in the extensions of each error.
import { GraphQLError } from 'graphql';
import { AppError, errorKinds, validationError } from '../../schema/wire/errors.ts';
import type { Context } from '../server/context.ts';
import { toIssue } from './server/document-faults.ts';
import { toAppError, toErrorAnswer, type ErrorBody } from '../http/errors.ts';
import { spellWords, toCamelCase } from './case-conversion.ts';

const invalidStatus = errorKinds.validation_error.status;

interface HttpExtension {
  status?: number;
  headers?: Record<string, string>;
}

/** The error in our form; what nobody foresaw is logged and masked. */
export function presentError(
  context: Context,
  requestId: string,
  error: GraphQLError,
): GraphQLError {
  return present(context, requestId, error).shown;
}

/** The same, with the status and the headers of an answer that holds nothing else. */
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
    // A faulty document: a client that takes plain JSON gets 200, by the GraphQL-over-HTTP rules.
    spec: given?.status === undefined ? status === invalidStatus : error.locations !== undefined,
  };
  return shown;
}

function present(context: Context, requestId: string, error: GraphQLError) {
  const known = fromDocument(error) ?? toAppError(context, innermost(error), requestId);
  const { status, headers, error: body } = toErrorAnswer(context, known);
  const { message, ...members } = spellBody(body);
  const shown = new GraphQLError(message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { ...camelCased(members), requestId },
  });
  return { shown, status, headers };
}

/** A fault of the request or its document, which the server found before any field ran. */
function fromDocument(error: GraphQLError): AppError | undefined {
  if (error.path || !(innermost(error) instanceof GraphQLError)) return undefined;
  const issue = toIssue(error);
  const { message } = issue;
  const http = httpExtension(error);
  if (http?.status === 413) return new AppError('payload_too_large', 'The body is too large.');
  if (http?.status === 405) return new AppError('method_not_allowed', message);
  if (message.startsWith('POST body sent invalid JSON'))
    return new AppError('malformed_json', message);
  return issue.path === 'query'
    ? new AppError('validation_error', message, { issues: [issue] })
    : validationError([issue]);
}

/** What Yoga says of the error's HTTP answer. */
function httpExtension(error: GraphQLError): HttpExtension | undefined {
  const { http } = error.extensions as { http?: HttpExtension };
  return http;
}

/** Anything thrown as GraphQL carries it. */
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

/** Its words, and where it tells of a post how that stands, are GraphQL's. */
export function spellBody<Body extends ErrorBody>(body: Body): Body {
  const { message, hint, issues } = body;
  return {
    ...body,
    message: spellWords(message),
    ...(hint === undefined ? {} : { hint: spellWords(hint) }),
    ...(issues && {
      issues: issues.map((issue) => ({ ...issue, message: spellWords(issue.message) })),
    }),
    ...('post_status' in body ? { post_status: String(body.post_status).toUpperCase() } : {}),
  };
}

function camelCased(members: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [toCamelCase(key), value]),
  );
}
