// The OpenAPI document, made from the routes and schemas that answer requests.
import { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import type { EnumIdentity } from '../../schema/wire/described-enum.ts';
import { ErrorObject } from '../../schema/wire/error-object.ts';
import { eventBody, eventCatalogue, eventTypes, type EventType } from '../../schema/event-types.ts';
import { fixedLimits } from '../../schema/wire/limits.ts';
import { Media } from '../../schema/media.ts';
import { PageMeta } from '../../schema/wire/listing.ts';
import type { Route } from '../http/route.ts';
import { requestExamples } from './request-examples.ts';

const RequestId = z.string().meta({ description: 'ID of the request, for support and logs.' });

const ErrorAnswer = z
  .object({ error: ErrorObject, request_id: RequestId })
  .meta({ id: 'Error', description: 'The response to a request that failed.' });

const IdempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({
      description: `Makes a repeat safe: a request with the same key and body within ${fixedLimits.idempotencyHours} hours returns the first response.`,
    }),
});

const SignatureHeaders = z.object({
  'X-Service-Signature': z.string().meta({
    description:
      '`sha256=` and the HMAC-SHA-256 of the body in hex. The key is the whole signing secret as shown.',
  }),
  'X-Service-Event': z.string().meta({ description: 'Event type.' }),
  'X-Service-Delivery': z
    .string()
    .meta({ description: 'ID of the delivery, the same in every attempt.' }),
  'webhook-id': z
    .string()
    .meta({ description: 'ID of the message, as Standard Webhooks defines it.' }),
  'webhook-timestamp': z.string().meta({ description: 'Time of the attempt, in Unix seconds.' }),
  'webhook-signature': z.string().meta({
    description: 'Signature, as Standard Webhooks defines it.',
  }),
});

const introduction = `${packageJson.description}

Send your API key with every request, as \`Authorization: Bearer <API key>\`. Each error has a code and a link to [its explanation](/docs#errors).`;

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

export function writeOpenApi(routes: readonly Route[]): OpenApiDocument {
  const app = new OpenAPIHono();
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'apiKey', { type: 'http', scheme: 'bearer' });
  for (const route of routes) registry.registerPath(describe(route));
  registry.registerPath(uploadPath);
  for (const type of eventTypes) registry.registerWebhook(describeEvent(type));
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Fanfare',
      version: packageJson.version,
      description: introduction,
      license: {
        name: packageJson.license,
        url: 'https://www.apache.org/licenses/LICENSE-2.0',
      },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
  });
  return nameEnums(document);
}

interface EnumSchema {
  type: string | string[];
  enum: (string | null)[];
  description: string;
  'x-enum': EnumIdentity;
  'x-enumDescriptions': Record<string, string>;
}

/**
 * Makes each described enum one component. The generator copies an enum into a field that
 * describes it, and clients would get a type for each copy.
 */
function nameEnums(document: OpenApiDocument): OpenApiDocument {
  const enums: NonNullable<NonNullable<OpenApiDocument['components']>['schemas']> = {};

  function rewrite(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(rewrite);
    if (typeof value !== 'object' || value === null) return value;
    if ('x-enum' in value) return refer(value as EnumSchema);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rewrite(item)]));
  }

  function refer({ type, enum: words, 'x-enum': own, ...rest }: EnumSchema): object {
    const { 'x-enumDescriptions': meanings, ...siblings } = rest;
    enums[own.name] = {
      type: 'string',
      enum: words.filter((word) => word !== null),
      description: own.description,
      'x-enumDescriptions': meanings,
    };
    const reference = { $ref: `#/components/schemas/${own.name}` };
    const isNullable = type.includes('null');
    return { ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference), ...siblings };
  }

  const named = rewrite(document) as OpenApiDocument;
  const { schemas } = named.components!;
  return { ...named, components: { ...named.components, schemas: { ...schemas, ...enums } } };
}

type Registration = Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0];

function describe(route: Route): Registration {
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const params = z.object(
    Object.fromEntries(
      names.map((name) => [
        name,
        z.string().meta({ description: describeParameter(route.path, name) }),
      ]),
    ),
  );
  const scope =
    route.scope === 'any key'
      ? 'Any API key can call this.'
      : `Requires the scope \`${route.scope}\`.`;
  return {
    method: route.method,
    path: route.path.replaceAll(/:(\w+)/g, '{$1}'),
    operationId: route.name,
    summary: route.summary,
    description: [route.description, scope].filter(Boolean).join('\n\n'),
    tags: [route.path.split('/')[2]!],
    request: {
      ...(names.length > 0 ? { params } : {}),
      ...(route.query ? { query: route.query as z.ZodObject } : {}),
      ...(route.method === 'post' ? { headers: IdempotencyKey } : {}),
      ...(route.body ? { body: describeBody(route.body, requestExamples[route.name]) } : {}),
    },
    responses: {
      ...Object.fromEntries(route.answer.statuses.map((status) => describeAnswer(route, status))),
      default: { description: 'The request failed.', content: json(ErrorAnswer) },
    },
  };
}

/** Served beside the routes, since it takes no JSON and no API key. */
const uploadPath: Registration = {
  method: 'put',
  path: '/uploads/{id}',
  operationId: 'uploadMedia',
  summary: 'Upload the bytes of media',
  description:
    'Send a `PUT` to `upload_url` as it is. The body is the bytes themselves, not a form. Send the whole file, or parts with `Content-Range`. No API key is needed.',
  tags: ['media'],
  security: [],
  request: {
    params: z.object({ id: z.string().meta({ description: 'ID of the media.' }) }),
    query: z.object({ token: z.string().meta({ description: 'Token of the upload URL.' }) }),
    headers: z.object({
      'Content-Range': z.string().optional().meta({
        description:
          '`bytes <first>-<last>/<total>` of a part, a multiple of 262,144 bytes except for the last one. `bytes */<total>` without a body asks where to continue.',
      }),
    }),
    body: {
      required: false,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  responses: {
    200: {
      description: 'Complete. The media are `uploaded`.',
      content: json(z.object({ data: Media, request_id: RequestId })),
    },
    308: {
      description:
        'Incomplete. `Range: bytes=0-<last>` names the bytes received so far. Without it, there are none.',
      content: json(z.object({ data: Media, request_id: RequestId })),
    },
    default: { description: 'The request failed.', content: json(ErrorAnswer) },
  },
};

/** `POST /v1/posts/:id` has the ID of a post. */
function describeParameter(path: string, parameter: string): string {
  if (parameter === 'platform') return 'Network of the app.';
  if (parameter === 'external_user_id') return 'ID of the user in your system.';
  const segments = path.split('/');
  const resource = resourceNames[segments[segments.indexOf(`:${parameter}`) - 1]!];
  if (resource === undefined) throw new Error(`No description for :${parameter} of ${path}.`);
  return `ID of the ${resource}.`;
}

const resourceNames: Record<string, string> = {
  accounts: 'account',
  'api-keys': 'API key',
  deliveries: 'delivery',
  events: 'event',
  media: 'media',
  posts: 'post',
  replays: 'replay',
  results: 'result',
  sessions: 'connect session',
  webhooks: 'webhook',
};

/** The request that a webhook's receiver gets. */
function describeEvent(type: EventType): Registration {
  const { meaning, availability } = eventCatalogue[type];
  return {
    method: 'post',
    path: type,
    summary: meaning,
    ...(availability === 'coming_soon'
      ? { description: 'Coming soon. Sent only by installations that preview it.' }
      : {}),
    tags: ['events'],
    security: [],
    request: {
      headers: SignatureHeaders,
      body: { required: true, content: json(eventBody(type)) },
    },
    responses: {
      '2XX': { description: 'Delivered. Fanfare retries after any other response.' },
    },
  };
}

/** A body is optional if an empty one is valid. */
function describeBody(schema: z.ZodType, example: object | undefined) {
  const content = { 'application/json': { schema, ...(example && { example }) } };
  return { required: !schema.safeParse({}).success, content };
}

function describeAnswer({ answer, location }: Route, status: number) {
  const described = {
    description: statusNames[status]!,
    ...(location && status !== 200 && { headers: LocationHeader }),
  };
  if (!answer.schema) return [status, described] as const;
  const envelope = answer.isList
    ? z.object({ data: z.array(answer.schema), meta: PageMeta, request_id: RequestId })
    : z.object({ data: answer.schema, ...answer.beside, request_id: RequestId });
  return [status, { ...described, content: json(envelope) }] as const;
}

const LocationHeader = z.object({
  Location: z.string().meta({ description: 'Path of what was created, or what to poll.' }),
});

const statusNames: Record<number, string> = {
  200: 'OK.',
  201: 'Created.',
  202: 'Accepted. Fanfare continues in the background.',
  204: 'Deleted.',
};

function json(schema: z.ZodType) {
  return { 'application/json': { schema } };
}
