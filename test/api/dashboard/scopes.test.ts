// A session can do exactly what its key's scopes allow: each operation of both APIs, and each stream.
import { readFile } from 'node:fs/promises';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { createClient } from 'graphql-ws';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { routes } from '../../../api/resources/routes.ts';
import { findGrant, scopes, type Scope } from '../../../schema/scopes.ts';
import { useApp } from '../../support/app/app.ts';

const app = useApp({ roles: { api: true, worker: false } });
const sdl = await readFile(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8');
const schema = buildSchema(sdl);
type Operation = 'Query' | 'Mutation' | 'Subscription';

/** The operations and streams of GraphQL by the least scope that allows them. */
const rows: Record<Scope, string> = {
  'posts:read': `labels media mediaFiles post postCounts posts queue queueSlots queues
    mediaUpdated postUpdated`,
  'posts:draft': 'validatePost createMedia createPost duplicatePost updatePost',
  'posts:write': `cancelPost cancelPosts createPosts createQueue createReviewLink deleteMedia deletePost
    deletePosts deleteQueue markResultUnpublished publishPost renewMediaUploadUrl rescheduleQueue
    retryResult unpublishResult updatePosts updateQueue updateResult`,
  'accounts:read': `account accountCheck accountChoices accounts connectSession platformApp platformApps
    project user users accountUpdated`,
  'accounts:write': `connectAccount createAccountCheck createConnectSession deletePlatformApp
    disconnectAccount eraseUser importAccount setPlatformApp updateAccount updateProject`,
  'webhooks:read': `deliveries delivery deliveryCounts event events replay replays webhook webhooks deliveryUpdated
    eventRecorded replayProgress webhookUpdated`,
  'webhooks:write': `createWebhook deleteWebhook replayDeliveries retryDelivery rotateWebhook testWebhook
    updateWebhook`,
  'keys:write': 'apiKey apiKeys createApiKey revokeApiKey',
};
/** A node is found only with the scope of its type. */
const ofEveryKey = 'capabilities currentApiKey eventTypes limits liveCursor node nodes';
const wordsOf = (text: string) => text.split(/\s+/);
/** A key hands on only scopes that it has, and with `posts:draft` alone, it only drafts. */
const inputs: Record<string, object> = {
  createApiKey: { name: 'x', scopes: ['KEYS_WRITE'] },
  createPost: { status: 'DRAFT' },
};
const bodies: Record<string, object> = { createPost: { status: 'draft' } };

const fieldsOf = (operation: Operation) =>
  Object.values((schema.getType(operation) as GraphQLObjectType).getFields());

/** The least that an argument of this type can be. */
function exampleOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return exampleOf(type.ofType);
  if (isListType(type)) return [exampleOf(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    const members = type.isOneOf ? Object.values(type.getFields()).slice(0, 1) : required;
    return Object.fromEntries(members.map((field) => [field.name, exampleOf(field.type)]));
  }
  const examples: Record<string, unknown> = { Int: 1, Float: 1, Boolean: true, JSON: {} };
  if (type.name === 'DateTime') return new Date().toISOString();
  return examples[type.name] ?? 'x';
}

function toDocument(operation: Operation, { name, args, type }: GraphQLField<unknown, unknown>) {
  const given = args.filter((one) => isNonNullType(one.type));
  const declared = given.map((one) => `$${one.name}: ${String(one.type)}`).join(', ');
  const passed = given.map((one) => `${one.name}: $${one.name}`).join(', ');
  const selection = isLeafType(getNamedType(type)) ? '' : '{ __typename }';
  const head = declared && `(${declared})`;
  const call = `${name} ${passed && `(${passed})`} ${selection}`;
  const query = `${operation.toLowerCase()} ${head} { ${call} }`;
  const variables = Object.fromEntries(
    given.map((one) => [one.name, inputs[name] ?? exampleOf(one.type)]),
  );
  return { query, variables };
}

interface Answer {
  errors?: readonly { extensions?: { code?: string } }[] | undefined;
  error?: { code?: string };
}
const lacksScope = ({ errors, error }: Answer) =>
  error?.code === 'insufficient_scope' ||
  (errors?.some(({ extensions }) => extensions?.code === 'insufficient_scope') ?? false);

describe.each(scopes)('a session with %s', (scope) => {
  let headers: Record<string, string>;

  beforeAll(async () => {
    const made = await app.api.post('/v1/api-keys', { name: scope, scopes: [scope] });
    const base = { 'Content-Type': 'application/json', Origin: app.url };
    const answer = await fetch(`${app.url}/dashboard/session`, {
      method: 'POST',
      headers: base,
      body: JSON.stringify({ api_key: made.body.data.key }),
    });
    const cookie = answer.headers.getSetCookie()[0]!.split(';', 1)[0]!;
    headers = { ...base, Cookie: cookie, 'X-Fanfare-Session': '1' };
  });

  async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(`${app.url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return text.startsWith('{') ? (JSON.parse(text) as Answer) : {};
  }

  const names = (operations: readonly Operation[]) =>
    operations.flatMap((operation) => fieldsOf(operation).map(({ name }) => name));
  const granted = scopes.filter((one) => findGrant([scope], one) !== undefined);
  const isAllowed = (name: string) =>
    wordsOf(`${granted.map((one) => rows[one]).join(' ')} ${ofEveryKey}`).includes(name);

  test('can ask and change exactly its row over GraphQL', async () => {
    const allowed: string[] = [];
    for (const operation of ['Query', 'Mutation'] as const) {
      for (const field of fieldsOf(operation)) {
        const answer = await ask('POST', '/graphql', toDocument(operation, field));
        if (!lacksScope(answer)) allowed.push(field.name);
      }
    }
    expect(allowed).toEqual(names(['Query', 'Mutation']).filter(isAllowed));
  });

  test('can follow exactly its streams', async () => {
    const refused = new Set<string>();
    const open = headers;
    const client = createClient({
      url: `${app.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocol: string) {
          super(url, protocol, { headers: open });
        }
      },
      connectionParams: { session: true },
      retryAttempts: 0,
    });
    for (const field of fieldsOf('Subscription')) {
      const refuse = (answer: Answer) => void (lacksScope(answer) && refused.add(field.name));
      client.subscribe(toDocument('Subscription', field), {
        next: (message) => refuse(message as Answer),
        error: (errors) => refuse({ errors: errors as NonNullable<Answer['errors']> }),
        complete: () => {},
      });
    }
    const others = names(['Subscription']).filter((name) => !isAllowed(name));
    await expect.poll(() => [...refused].toSorted()).toEqual(others.toSorted());
    await client.dispose();
  });

  test('can call exactly the routes of REST with this scope', async () => {
    const allowed: string[] = [];
    for (const { method, path, name } of routes) {
      const body = method === 'get' || method === 'delete' ? undefined : (bodies[name] ?? {});
      const answer = await ask(method.toUpperCase(), path.replaceAll(/:\w+/g, 'x'), body);
      if (!lacksScope(answer)) allowed.push(name);
    }
    const own = routes.filter((route) => [...granted, 'any key'].includes(route.scope));
    expect(allowed).toEqual(own.map(({ name }) => name));
  });
});

test('every operation and stream is in one row', () => {
  const all = (['Query', 'Mutation', 'Subscription'] as const).flatMap((operation) =>
    fieldsOf(operation).map(({ name }) => name),
  );
  const listed = wordsOf(`${Object.values(rows).join(' ')} ${ofEveryKey}`);
  expect(listed.toSorted()).toEqual(all.toSorted());
});
