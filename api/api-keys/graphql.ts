// API keys, in GraphQL.
import {
  CreateApiKey,
  keyEnvironments,
  type ApiKey,
  type ApiKeyWithSecret,
} from '../../schema/api-keys.ts';
import { listQuery } from '../../schema/wire/listing.ts';
import { scopes } from '../../schema/scopes.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf } from '../graphql/connections.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { readId, write } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { idArguments, idempotencyArguments, noInput, wordEnum } from '../graphql/shapes.ts';
import { createApiKey, deleteApiKey, findApiKeys, getApiKey, listApiKeys } from './operations.ts';

const ScopeRef = wordEnum('Scope', scopes, { enum: 'What an API key may do.' });

export const KeyEnvironmentRef = wordEnum('KeyEnvironment', keyEnvironments, {
  test: 'Reaches only sandbox accounts.',
});

const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey');

builder.node(ApiKeyRef, {
  ...nodesOf('keys:write', findApiKeys).options,
  description: 'An API key, without the key itself.',
  fields: (t) => ({
    name: t.exposeString('name'),
    prefix: t.exposeString('prefix', {
      description: 'The first characters of the key, to recognise it.',
    }),
    scopes: t.expose('scopes', { type: [ScopeRef] }),
    environment: t.expose('environment', { type: KeyEnvironmentRef }),
    expiresAt: t.expose('expires_at', { type: 'DateTime', nullable: true }),
    revokedAt: t.expose('revoked_at', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('last_used_at', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
  }),
});

const CreateApiKeyPayload = builder.objectRef<ApiKeyWithSecret>('CreateApiKeyPayload').implement({
  fields: (t) => ({
    apiKey: t.field({ type: ApiKeyRef, resolve: (created) => created }),
    key: t.exposeString('key', { description: 'The key. Shown only in this answer.' }),
  }),
});

const ApiKeyConnection = connectionOf('ApiKeyConnection', ApiKeyRef);

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    scopes: t.field({ type: [ScopeRef], description: 'Default: all.' }),
    environment: t.field({ type: KeyEnvironmentRef, description: 'Default: `PRODUCTION`.' }),
    expiresAt: t.field({ type: 'DateTime' }),
  }),
});

queryOne('apiKey', {
  type: ApiKeyRef,
  description: 'An API key.',
  scope: 'keys:write',
  what: 'API key',
  get: getApiKey,
});

queryPages('apiKeys', {
  type: ApiKeyConnection,
  description: 'The API keys, newest first.',
  scope: 'keys:write',
  schema: listQuery({}),
  list: listApiKeys,
});

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreateApiKeyPayload,
    nullable: true,
    description: 'Creates an API key.',
    complexity: operationCost,
    args: {
      input: t.arg({ type: CreateApiKeyInput, required: true }),
      ...idempotencyArguments,
    },
    resolve: (_, args, graphql, info) =>
      write(graphql, { scope: 'keys:write', schema: CreateApiKey, args, info }, createApiKey),
  }),
  revokeApiKey: t.field({
    type: ApiKeyRef,
    nullable: true,
    description: 'Revokes an API key. Streams opened with it end within seconds.',
    complexity: operationCost,
    args: idArguments,
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'keys:write', schema: noInput, args, info },
        async (context, caller) => {
          const id = readId('API key', args.id);
          const { status } = await deleteApiKey(context, caller, id);
          return { status, data: await getApiKey(context, caller, id) };
        },
      ),
  }),
}));
