// The REST routes of API keys.
import { ApiKey, ApiKeyWithSecret, CreateApiKey, CurrentApiKey } from '../../schema/api-keys.ts';
import { listQuery, maxPageSize } from '../../schema/wire/listing.ts';
import { del, get, list, one, post, removed, written } from '../http/route.ts';
import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  getCurrentApiKey,
  listApiKeys,
} from './operations.ts';

export const apiKeyRoutes = [
  post('/v1/api-keys', {
    name: 'createApiKey',
    summary: 'Create an API key',
    description: 'The key itself is shown only in this response.',
    scope: 'keys:write',
    body: CreateApiKey,
    location: ({ data }) => `/v1/api-keys/${data.id}`,
    answer: written(201, ApiKeyWithSecret),
    run: ({ context, caller, body }) => createApiKey(context, caller, body),
  }),

  get('/v1/api-keys', {
    name: 'listApiKeys',
    summary: 'List API keys',
    description: 'Newest first.',
    scope: 'keys:write',
    query: listQuery({}, maxPageSize),
    answer: list(ApiKey),
    run: ({ context, caller, query }) => listApiKeys(context, caller, query),
  }),

  get('/v1/api-keys/current', {
    name: 'getCurrentApiKey',
    summary: 'Get the API key of the request',
    description: 'Shows what the key allows, and its project.',
    scope: 'any key',
    answer: one(CurrentApiKey),
    run: ({ context, caller }) => getCurrentApiKey(context, caller),
  }),

  get('/v1/api-keys/:id', {
    name: 'getApiKey',
    summary: 'Get an API key',
    scope: 'keys:write',
    answer: one(ApiKey),
    run: ({ context, caller, params }) => getApiKey(context, caller, params.id),
  }),

  del('/v1/api-keys/:id', {
    name: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'Live streams opened with the key end within seconds.',
    scope: 'keys:write',
    answer: removed,
    run: ({ context, caller, params }) => deleteApiKey(context, caller, params.id),
  }),
];
