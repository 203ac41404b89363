// API keys, in GraphQL.
import {
  CreateApiKey,
  KeyEnvironment,
  type ApiKey,
  type ApiKeyWithSecret,
  type CurrentApiKey,
} from '../../schema/api-keys.ts';
import { listQuery } from '../../schema/wire/listing.ts';
import { Scope } from '../../schema/scopes.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf } from '../graphql/connections.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { read } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import {
  createApiKey,
  deleteApiKey,
  findApiKeys,
  getApiKey,
  getCurrentApiKey,
  listApiKeys,
} from './operations.ts';

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

const KeyProjectRef = builder.objectRef<CurrentApiKey['project']>('KeyProject').implement({
  fields: (t) => ({
    projectId: t.exposeString('id', { description: 'ID of the project.' }),
    name: t.exposeString('name'),
  }),
});

const CurrentApiKeyRef = builder.objectRef<CurrentApiKey>('CurrentApiKey').implement({
  fields: (t) => ({
    apiKey: t.field({ type: ApiKeyRef, description: 'The API key.', resolve: (key) => key }),
    project: t.expose('project', { type: KeyProjectRef, description: 'Its project.' }),
  }),
});

builder.queryField('currentApiKey', (t) =>
  t.field({
    type: CurrentApiKeyRef,
    nullable: true,
    complexity: operationCost,
    resolve: (_, _args, graphql) => read(graphql, undefined, getCurrentApiKey),
  }),
);

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

mutationOf('createApiKey', {
  type: CreateApiKeyPayload,
  scope: 'keys:write',
  input: CreateApiKeyInput,
  schema: CreateApiKey,
  takesKey: true,
  run: createApiKey,
});

mutationOf('revokeApiKey', {
  type: ApiKeyRef,
  scope: 'keys:write',
  resource: 'API key',
  async run(context, caller, _, { id }) {
    const { status } = await deleteApiKey(context, caller, id);
    return { status, data: await getApiKey(context, caller, id) };
  },
});
