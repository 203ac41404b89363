// The responses of a route in the OpenAPI document: success, errors and headers.
import { z } from 'zod';
import { ErrorObject } from '../schema/wire/error-object.ts';
import type { ErrorCode } from '../schema/wire/errors.ts';
import { PageMeta } from '../schema/wire/listing.ts';
import { deprecatedMembers } from '../api/http/deprecation.ts';
import type { Route } from '../api/http/route.ts';
import { errorMeanings } from '../api/reference/error-meanings.ts';

export const RequestId = z
  .string()
  .meta({ description: 'ID of the request, for support and logs.' });

export const ErrorAnswer = z
  .object({ error: ErrorObject, request_id: RequestId })
  .meta({ id: 'ErrorResponse', description: 'The response to a request that failed.' });

export function json(schema: z.ZodType) {
  return { 'application/json': { schema } };
}

const header = (description: string, type = 'string', required = false) => ({
  description,
  required,
  schema: { type },
});

/** The components that the responses refer to. */
export const responseHeaders = {
  'X-Request-Id': header('ID of the request, for support and logs.', 'string', true),
  'RateLimit-Limit': header('Requests per minute of the project.', 'integer'),
  'RateLimit-Remaining': header('Requests that the project can send now.', 'integer'),
  'RateLimit-Reset': header('Seconds until the whole limit is available again.', 'integer'),
  'Retry-After': header('Seconds to wait before the next request.', 'integer'),
  'WWW-Authenticate': header('How to authenticate.', 'string', true),
  'Idempotency-Replayed': header('`true` if an earlier request has made this response.'),
  Location: header('Path of what was created, or what to poll.', 'string', true),
  'Fanfare-Still-Public': header(
    'Number of targets that are public, or may be, although their record is deleted. Absent if there are none.',
    'integer',
  ),
  Deprecation: header(
    'When the route, or a member that the request has, was deprecated (RFC 9745). Absent otherwise.',
  ),
  Sunset: header('From when on a later version may remove it (RFC 8594). Absent otherwise.'),
} as const;

type HeaderName = keyof typeof responseHeaders;

export function refer(...names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** These headers are absent if there is no rate limit. */
const rateLimit = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** The codes of a status, with what they mean. */
export function describeErrors(codes: readonly ErrorCode[], ...headers: HeaderName[]) {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorMeanings[code]}`).join('\n\n'),
    headers: refer('X-Request-Id', ...headers),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
  };
}

/** The components of errors by their status. */
export const errorResponses = {
  400: ['BadRequest', describeErrors(['malformed_json', 'malformed_csv'], ...rateLimit)],
  401: ['Unauthorized', describeErrors(['unauthorized'], 'WWW-Authenticate')],
  403: ['Forbidden', describeErrors(['insufficient_scope', 'quota_exceeded'], ...rateLimit)],
  404: ['NotFound', describeErrors(['not_found'], ...rateLimit)],
  409: [
    'Conflict',
    describeErrors(
      [
        'conflict',
        'idempotency_conflict',
        'media_expired',
        'reconnect_required',
        'has_replies',
        'not_supported_by_network',
        'too_late',
        'queue_full',
        'queue_paused',
      ],
      ...rateLimit,
    ),
  ],
  413: ['PayloadTooLarge', describeErrors(['payload_too_large'], ...rateLimit)],
  415: ['UnsupportedMediaType', describeErrors(['unsupported_media_type'], ...rateLimit)],
  422: ['ValidationFailed', describeErrors(['validation_error'], ...rateLimit)],
  429: ['RateLimited', describeErrors(['rate_limited'], 'Retry-After', ...rateLimit)],
} as const;

/** The response with any other status, which means that Fanfare failed. */
export const failedResponse = [
  'Failed',
  describeErrors(['internal', 'unavailable', 'media_not_configured'], 'Retry-After', ...rateLimit),
] as const;

const responseRef = (name: string) => ({ $ref: `#/components/responses/${name}` });
export const failed = responseRef(failedResponse[0]);

type ErrorStatus = keyof typeof errorResponses;

export function describeResponses(route: Route) {
  const errors = listErrorStatuses(route).map((status) => [
    status,
    responseRef(errorResponses[status][0]),
  ]);
  return {
    ...Object.fromEntries(route.answer.statuses.map((status) => describeAnswer(route, status))),
    ...Object.fromEntries(errors),
    default: failed,
  };
}

function listErrorStatuses({ method, path, scope, body, needsAccess }: Route): ErrorStatus[] {
  const isWriting = method !== 'get';
  const possible: Record<ErrorStatus, boolean> = {
    400: body !== undefined,
    401: true,
    403: scope !== 'any key',
    404: path.includes(':'),
    409: isWriting || needsAccess === true,
    413: body !== undefined,
    415: body !== undefined,
    422: true,
    429: true,
  };
  return Object.keys(possible)
    .map((status) => Number(status) as ErrorStatus)
    .filter((status) => possible[status]);
}

function describeAnswer(route: Route, status: number) {
  const { method, answer, location, stillPublic } = route;
  const isDeprecated =
    route.deprecatedIn !== undefined ||
    [route.query, route.body].some((schema) => deprecatedMembers(schema).size > 0);
  const described = {
    description: statusNames[status]!,
    headers: refer(
      'X-Request-Id',
      ...rateLimit,
      ...(method === 'post' ? (['Idempotency-Replayed'] as const) : []),
      ...(location && (status === 201 || status === 202) ? (['Location'] as const) : []),
      ...(isDeprecated ? (['Deprecation', 'Sunset'] as const) : []),
      ...(stillPublic && status === 204 ? (['Fanfare-Still-Public'] as const) : []),
    ),
  };
  if (!answer.schema) return [status, described] as const;
  if (answer.file !== undefined) {
    return [status, { ...described, content: { 'text/csv': { schema: answer.schema } } }] as const;
  }
  const envelope = answer.isList
    ? z.object({
        data: z.array(answer.schema),
        meta: answer.meta ?? PageMeta,
        ...answer.beside,
        request_id: RequestId,
      })
    : z.object({ data: answer.schema, ...answer.beside, request_id: RequestId });
  return [status, { ...described, content: json(envelope) }] as const;
}

const statusNames: Record<number, string> = {
  200: 'OK.',
  201: 'Created.',
  202: 'Accepted. Fanfare continues in the background.',
  204: 'Deleted.',
};
