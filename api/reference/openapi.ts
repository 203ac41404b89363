// The OpenAPI document, written from the same routes and schemas that answer requests.
import { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { ErrorObject } from '../../schema/wire/error-object.ts';
import { eventCatalogue, eventTypes, type EventType } from '../../schema/events.ts';
import { members, membersOf } from '../../schema/wire/glossary.ts';
import { PageMeta } from '../../schema/wire/listing.ts';
import { eventBody } from '../events/event-types.ts';
import type { Route } from '../http/route.ts';

const ErrorAnswer = z.object({ error: ErrorObject, request_id: z.string() }).meta({ id: 'Error' });

const IdempotencyKey = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description: 'Within 24 hours a repeat with the same key and body gets the first answer again.',
  }),
});

const SignatureHeaders = z.object({
  'X-Service-Signature': z.string().meta({
    description: '`sha256=` and the hex HMAC-SHA-256 of the body, keyed with the secret as shown.',
  }),
  'X-Service-Event': z.string(),
  'X-Service-Delivery': z.string().meta({ description: 'The same in every attempt.' }),
  'webhook-id': z.string(),
  'webhook-timestamp': z.string(),
  'webhook-signature': z.string().meta({ description: 'As Standard Webhooks defines it.' }),
});

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

export function writeOpenApi(routes: readonly Route[]): OpenApiDocument {
  const app = new OpenAPIHono();
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'apiKey', { type: 'http', scheme: 'bearer' });
  for (const route of routes) registry.registerPath(describe(route));
  for (const type of eventTypes) registry.registerWebhook(describeEvent(type));
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Fanfare',
      version: packageJson.version,
      description: packageJson.description,
      license: {
        name: packageJson.license,
        url: 'https://www.apache.org/licenses/LICENSE-2.0',
      },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
  });
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    explain(name, schema as ComponentSchema);
  }
  return document;
}

interface ComponentSchema {
  properties?: Record<string, { description?: string }>;
}

/**
 * What a schema says of its members itself stays. `WebhookWithSecret` and its like are described
 * as what they extend.
 */
function explain(name: string, { properties = {} }: ComponentSchema): void {
  const ofName = membersOf[name] ?? membersOf[name.replace(/With[A-Z][a-z]+$/, '')];
  for (const [member, schema] of Object.entries(properties)) {
    const description = ofName?.[member] ?? members[member];
    if (description !== undefined) schema.description ??= description;
  }
}

type Registration = Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0];

function describe(route: Route): Registration {
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const params = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  const scope = route.scope === 'any key' ? 'Any key may ask.' : `Scope: \`${route.scope}\`.`;
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
      ...(route.body ? { body: describeBody(route.body) } : {}),
    },
    responses: {
      ...Object.fromEntries(route.answer.statuses.map((status) => describeAnswer(route, status))),
      default: { description: 'Refused or failed.', content: json(ErrorAnswer) },
    },
  };
}

/** What a webhook's receiver is sent. */
function describeEvent(kind: EventType): Registration {
  const { meaning, availability } = eventCatalogue[kind];
  return {
    method: 'post',
    path: kind,
    summary: meaning,
    ...(availability === 'coming_soon'
      ? { description: 'Coming soon: sent only where the operator previews it.' }
      : {}),
    tags: ['events'],
    security: [],
    request: {
      headers: SignatureHeaders,
      body: { required: true, content: json(eventBody(kind)) },
    },
    responses: { '2XX': { description: 'Delivered. Any other answer is tried again.' } },
  };
}

/** Required where an empty body would be refused. */
function describeBody(body: z.ZodType) {
  return { required: !body.safeParse({}).success, content: json(body) };
}

function describeAnswer({ answer }: Route, status: number) {
  const description = statusNames[status] ?? 'Done.';
  if (!answer.schema) return [status, { description }] as const;
  const envelope = answer.isList
    ? z.object({ data: z.array(answer.schema), meta: PageMeta, request_id: z.string() })
    : z.object({ data: answer.schema, request_id: z.string() });
  return [status, { description, content: json(envelope) }] as const;
}

const statusNames: Record<number, string> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted; the work goes on.',
  204: 'Removed.',
};

function json(schema: z.ZodType) {
  return { 'application/json': { schema } };
}
