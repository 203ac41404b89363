// The OpenAPI document, made from the routes and schemas that answer requests.
import { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import packageJson from '../package.json' with { type: 'json' };
import { eventTypes } from '../schema/event-types.ts';
import { PlatformName } from '../schema/platforms/index.ts';
import { PostToUpdate } from '../schema/posts/bulk.ts';
import { TotalCount } from '../schema/posts/listing.ts';
import { PostScheduleInput } from '../schema/posts/schedule.ts';
import { fixedLimits } from '../schema/wire/limits.ts';
import { version } from '../schema/version.ts';
import { takesKey, type Route } from '../api/http/route.ts';
import { rewriteEnums, type OpenApiDocument } from './openapi-enums.ts';
import { referToObjects } from './openapi-objects.ts';
import {
  describeResponses,
  ErrorAnswer,
  errorResponses,
  failedResponse,
  responseHeaders,
} from './openapi-responses.ts';
import { uploadPath } from './openapi-upload.ts';
import {
  describeEvent,
  describeMessage,
  messageCallbacks,
  messageName,
  messageTag,
  unionName,
} from './openapi-webhooks.ts';
import { csvExamples, requestExamples } from './request-examples.ts';

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

const introduction = `${packageJson.description}

Send your API key with every request, as \`Authorization: Bearer <API key>\`. Each error has a code and a link to [its explanation](/docs#errors).

Later versions may add members to responses and values to the lists of known values. Ignore members that you don't know.`;

export function writeOpenApi(routes: readonly Route[]): OpenApiDocument {
  const app = new OpenAPIHono();
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'bearerAuth', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key. `POST /v1/api-keys` makes more.',
  });
  for (const [name, header] of Object.entries(responseHeaders)) {
    registry.registerComponent('headers', name, header as HeaderObject);
  }
  for (const [name, response] of [...Object.values(errorResponses), failedResponse]) {
    registry.registerComponent('responses', name, response);
  }
  registry.register('ErrorResponse', ErrorAnswer);
  // Only items that are checked alone refer to it.
  registry.register('PostToUpdate', PostToUpdate.clone());
  // Only fields with descriptions of their own refer to them.
  registry.register('PostScheduleInput', PostScheduleInput.clone());
  registry.register('TotalCount', TotalCount.clone());
  for (const route of routes) registry.registerPath(describe(route));
  registry.registerPath(uploadPath as unknown as Registration);
  const messages = eventTypes.map((type) => {
    const message = registry.register(messageName(type), describeMessage(type));
    registry.registerWebhook(describeEvent(type, message) as unknown as Registration);
    return message;
  });
  const [first, ...others] = messages;
  registry.register(
    unionName,
    z.discriminatedUnion('event', [first!, ...others]).meta({
      description: 'Any message that a webhook receives. `event` tells them apart.',
    }),
  );
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Fanfare',
      version,
      description: introduction,
      license: {
        name: packageJson.license,
        url: 'https://www.apache.org/licenses/LICENSE-2.0',
      },
    },
    servers: [{ url: 'http://127.0.0.1:4000', description: 'A Fanfare that `npm start` runs.' }],
    tags: listTags(routes),
    security: [{ bearerAuth: [] }],
  });
  const { components } = document;
  const schemas = referToObjects(components!.schemas as Record<string, Record<string, unknown>>);
  markDeprecated(document);
  return rewriteEnums({ ...document, components: { ...components, schemas } });
}

/** Tools look for the mark of a parameter beside its schema. */
function markDeprecated({ paths = {} }: OpenApiDocument): void {
  const operations = Object.values(paths).flatMap((path) => Object.values(path as object));
  for (const { parameters = [] } of operations as { parameters?: DescribedParameter[] }[]) {
    for (const parameter of parameters) {
      if (parameter.schema?.deprecated) parameter.deprecated = true;
    }
  }
}

interface DescribedParameter {
  deprecated?: boolean;
  schema?: { deprecated?: boolean };
}

type Components = NonNullable<OpenApiDocument['components']>;
type HeaderObject = NonNullable<Components['headers']>[string];
type Registration = Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0];

function describe(route: Route): Registration {
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const params = z.object(
    Object.fromEntries(names.map((name) => [name, describeParameter(route.path, name)])),
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
    tags: [tagOf(route)],
    ...(route.deprecatedIn !== undefined && { deprecated: true }),
    request: {
      ...(names.length > 0 ? { params } : {}),
      ...(route.query ? { query: route.query as z.ZodObject } : {}),
      ...(takesKey(route) ? { headers: IdempotencyKey } : {}),
      ...(route.body ? { body: describeBody(route) } : {}),
    },
    responses: describeResponses(route),
    ...(route.name === 'createWebhook' && { callbacks: messageCallbacks }),
  };
}

function describeBody({ name, body, csv, isBodyOptional = false }: Route) {
  const example = requestExamples[name];
  const content = {
    'application/json': { schema: body!, ...(example && { example }) },
    ...(csv && {
      'text/csv': {
        schema: {
          type: 'string' as const,
          description: `RFC 4180 in UTF-8. The first row names the columns: ${csv.columns.map((column) => `\`${column}\``).join(', ')}.`,
        },
        example: csvExamples[name],
      },
    }),
  };
  return { required: !isBodyOptional, content };
}

/** `POST /v1/posts/:id` has the ID of a post. */
function describeParameter(path: string, parameter: string): z.ZodType {
  if (parameter === 'platform') return PlatformName.meta({ description: 'Network of the app.' });
  if (parameter === 'external_user_id') {
    return z.string().meta({ description: 'ID of the user in your system.' });
  }
  if (parameter === 'kind') {
    return z.string().meta({
      description: "Kind of the choices: one of `choices` in the account's capabilities.",
    });
  }
  const segments = path.split('/');
  const resource = resourceNames[segments[segments.indexOf(`:${parameter}`) - 1]!];
  if (resource === undefined) throw new Error(`No description for :${parameter} of ${path}.`);
  return z.string().meta({ description: `ID of the ${resource}.` });
}

const resourceNames: Record<string, string> = {
  accounts: 'account',
  'api-keys': 'API key',
  checks: 'check',
  deliveries: 'delivery',
  events: 'event',
  media: 'media',
  posts: 'post',
  queues: 'queue',
  replays: 'replay',
  results: 'result',
  sessions: 'connect session',
  webhooks: 'webhook',
};

/** One tag for each resource: `/v1/posts.csv` → `posts`, `/v1/webhooks/:id/replay` → `replays`. */
function tagOf({ path }: Route): string {
  const [, , resource, , part] = path.split('/') as [string, string, string, string?, string?];
  return partTags[part ?? ''] ?? resource.split('.', 1)[0]!;
}

/** Tags of resources whose paths are below the paths of other resources. */
const partTags: Record<string, string> = {
  deliveries: 'deliveries',
  replay: 'replays',
  replays: 'replays',
};

function listTags(routes: readonly Route[]) {
  const names = [...new Set(routes.map(tagOf)), messageTag];
  return names.map((name) => {
    const description = tagDescriptions[name];
    if (description === undefined) throw new Error(`No description for the tag ${name}.`);
    return { name, description };
  });
}

const tagDescriptions: Record<string, string> = {
  posts: 'Content for one or more accounts, and the result of each target.',
  labels: 'Your own labels of posts.',
  queues: 'Plans of weekly slots that posts take in turn.',
  media: 'Images and videos for posts.',
  accounts: "Users' accounts at networks.",
  users: 'The users who own accounts, by the IDs of your system.',
  connect: 'Hosted pages where users connect their accounts.',
  'platform-credentials': 'Your own apps at networks.',
  platforms: 'The networks of this installation, with their rules and options.',
  webhooks: 'URLs that receive events.',
  deliveries: 'Single events for single webhooks, with their attempts.',
  replays: 'Past events that are sent to a webhook again.',
  events: 'Recorded facts about posts and accounts.',
  'event-types': 'The list of event types.',
  'api-keys': 'The API keys of the project.',
  project: 'The project and how its hosted pages look.',
  limits: 'The limits of this installation.',
  [messageTag]: 'Requests that Fanfare sends to your webhooks.',
};
