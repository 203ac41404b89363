// The REST routes of webhooks.
import { listQuery, maxPageSize } from '../../schema/wire/listing.ts';
import {
  CreateWebhook,
  RotateWebhook,
  UpdateWebhook,
  Webhook,
  WebhookWithSecret,
} from '../../schema/webhooks.ts';
import { del, get, list, one, patch, post, removed, written } from '../http/route.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhook,
  updateWebhook,
} from './operations.ts';

export const webhookRoutes = [
  post('/v1/webhooks', {
    name: 'createWebhook',
    summary: 'Create a webhook',
    description: 'The signing secret is shown only in this response.',
    scope: 'webhooks:write',
    body: CreateWebhook,
    location: ({ data }) => `/v1/webhooks/${data.id}`,
    answer: written(201, WebhookWithSecret),
    run: ({ context, caller, body }) => createWebhook(context, caller, body),
  }),

  get('/v1/webhooks', {
    name: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Newest first.',
    scope: 'webhooks:read',
    query: listQuery({}, maxPageSize),
    answer: list(Webhook),
    run: ({ context, caller, query }) => listWebhooks(context, caller, query),
  }),

  get('/v1/webhooks/:id', {
    name: 'getWebhook',
    summary: 'Get a webhook',
    scope: 'webhooks:read',
    answer: one(Webhook),
    run: ({ context, caller, params }) => getWebhook(context, caller, params.id),
  }),

  patch('/v1/webhooks/:id', {
    name: 'updateWebhook',
    summary: 'Update a webhook',
    description: '`active` disables or enables the webhook.',
    scope: 'webhooks:write',
    body: UpdateWebhook,
    answer: written(200, Webhook),
    run: ({ context, caller, params, body }) => updateWebhook(context, caller, params.id, body),
  }),

  post('/v1/webhooks/:id/rotate', {
    name: 'rotateWebhook',
    summary: 'Rotate the signing secret',
    description: 'The new secret is shown only in this response.',
    scope: 'webhooks:write',
    body: RotateWebhook,
    isBodyOptional: true,
    answer: written(200, WebhookWithSecret),
    run: ({ context, caller, params, body }) => rotateWebhook(context, caller, params.id, body),
  }),

  del('/v1/webhooks/:id', {
    name: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Cancels the pending deliveries of the webhook.',
    scope: 'webhooks:write',
    answer: removed,
    run: ({ context, caller, params }) => deleteWebhook(context, caller, params.id),
  }),
];
