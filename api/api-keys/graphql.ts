// API keys, in GraphQL.
import {
  CreateApiKey,
  KeyEnvironment,
  type ApiKey,
  type ApiKeyWithSecret,
} from '../../schema/api-keys.ts';
import { listQuery } from '../../schema/wire/listing.ts';
import { Scope } from '../../schema/scopes.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf } from '../graphql/connections.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { readId, write } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { idArguments, idempotencyArguments, noInput, wordEnum } from '../graphql/shapes.ts';
import { createApiKey, deleteApiKey, findApiKeys, getApiKey, listApiKeys } from './operations.ts';

const ScopeRef = wordEnum(Scope);

export const KeyEnvironmentRef = wordEnum(KeyEnvironment);

const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey');

builder.node(ApiKeyRef, {
  ...nodesOf('keys:write', findApiKeys).options,
  fields: (t) => ({
    name: t.exposeString('name'),
    prefix: t.exposeString('prefix'),
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
    apiKey: t.field({
      type: ApiKeyRef,
      description: 'The API key.',
      resolve: (created) => created,
    }),
    key: t.exposeString('key'),
  }),
});

const ApiKeyConnection = connectionOf('ApiKeyConnection', ApiKeyRef);

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    scopes: t.field({ type: [ScopeRef] }),
    environment: t.field({ type: KeyEnvironmentRef }),
    expiresAt: t.field({ type: 'DateTime' }),
  }),
});

queryOne('apiKey', {
  type: ApiKeyRef,
  scope: 'keys:write',
  resource: 'API key',
  get: getApiKey,
});

queryPages('apiKeys', {
  type: ApiKeyConnection,
  scope: 'keys:write',
  schema: listQuery({}),
  list: listApiKeys,
});

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreateApiKeyPayload,
    nullable: true,
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
    complexity: operationCost,
    args: idArguments('API key'),
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
