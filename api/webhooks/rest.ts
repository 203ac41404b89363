// The REST routes of webhooks.
import { Delivery } from '../../schema/deliveries.ts';
import { listQuery } from '../../schema/wire/listing.ts';
import {
  CreateWebhook,
  RotateWebhook,
  TestWebhook,
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
import { testWebhook } from './test-webhook.ts';

export const webhookRoutes = [
  post('/v1/webhooks', {
    name: 'createWebhook',
    summary: 'Register a URL that receives events; the secret is shown in this answer only',
    scope: 'webhooks:write',
    body: CreateWebhook,
    answer: written(201, WebhookWithSecret),
    run: ({ context, caller, body }) => createWebhook(context, caller, body),
  }),

  get('/v1/webhooks', {
    name: 'listWebhooks',
    summary: 'List the webhooks',
    scope: 'webhooks:read',
    query: listQuery({}),
    answer: list(Webhook),
    run: ({ context, caller, query }) => listWebhooks(context, caller, query),
  }),

  get('/v1/webhooks/:id', {
    name: 'getWebhook',
    summary: 'Read a webhook and its status',
    scope: 'webhooks:read',
    answer: one(Webhook),
    run: ({ context, caller, params }) => getWebhook(context, caller, params.id),
  }),

  patch('/v1/webhooks/:id', {
    name: 'updateWebhook',
    summary: 'Change a webhook, disable it or enable it again',
    scope: 'webhooks:write',
    body: UpdateWebhook,
    answer: written(200, Webhook),
    run: ({ context, caller, params, body }) => updateWebhook(context, caller, params.id, body),
  }),

  post('/v1/webhooks/:id/rotate', {
    name: 'rotateWebhook',
    summary: 'Replace the signing secret; the new one is shown in this answer only',
    scope: 'webhooks:write',
    body: RotateWebhook,
    answer: written(200, WebhookWithSecret),
    run: ({ context, caller, params, body }) => rotateWebhook(context, caller, params.id, body),
  }),

  post('/v1/webhooks/:id/test', {
    name: 'testWebhook',
    summary: 'Send a test event, also to a disabled webhook; it is attempted once',
    scope: 'webhooks:write',
    body: TestWebhook,
    answer: written(202, Delivery),
    run: ({ context, caller, params, body }) => testWebhook(context, caller, params.id, body),
  }),

  del('/v1/webhooks/:id', {
    name: 'deleteWebhook',
    summary: 'Delete a webhook and cancel what waits for it',
    scope: 'webhooks:write',
    answer: removed,
    run: ({ context, caller, params }) => deleteWebhook(context, caller, params.id),
  }),
];
