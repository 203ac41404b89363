// The REST routes of deliveries.
import {
  Delivery,
  DeliveryCount,
  DeliveryWithAttempts,
  ListDeliveries,
  RetriedDelivery,
} from '../../schema/deliveries.ts';
import { TestWebhook } from '../../schema/webhooks.ts';
import { CountByDay } from '../../schema/wire/counts.ts';
import { get, list, one, post, written } from '../http/route.ts';
import {
  getDelivery,
  listAllDeliveries,
  listDeliveries,
  listDeliveryCounts,
  retryDelivery,
  testWebhook,
} from './operations.ts';

export const deliveryRoutes = [
  post('/v1/webhooks/:id/test', {
    name: 'testWebhook',
    summary: 'Send a test event',
    description: 'The webhook may be disabled. The event is attempted once.',
    scope: 'webhooks:write',
    body: TestWebhook,
    isBodyOptional: true,
    location: ({ data }) => `/v1/deliveries/${data.id}`,
    answer: written(202, Delivery),
    run: ({ context, caller, params, body }) => testWebhook(context, caller, params.id, body),
  }),

  get('/v1/webhooks/:id/deliveries', {
    name: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Newest first.',
    scope: 'webhooks:read',
    query: ListDeliveries,
    answer: list(Delivery),
    run: ({ context, caller, params, query }) => listDeliveries(context, caller, params.id, query),
  }),

  get('/v1/deliveries', {
    name: 'listAllDeliveries',
    summary: 'List the deliveries to all webhooks',
    description: 'Newest first.',
    scope: 'webhooks:read',
    query: ListDeliveries,
    answer: list(Delivery),
    run: ({ context, caller, query }) => listAllDeliveries(context, caller, query),
  }),

  get('/v1/deliveries/counts', {
    name: 'listDeliveryCounts',
    summary: 'Count deliveries by day and status',
    description:
      'Deliveries to all webhooks. A delivery counts on the day of its creation. Days without deliveries are left out.',
    scope: 'webhooks:read',
    query: CountByDay,
    answer: list(DeliveryCount),
    run: ({ context, caller, query }) => listDeliveryCounts(context, caller, query),
  }),

  get('/v1/deliveries/:id', {
    name: 'getDelivery',
    summary: 'Get a delivery with its attempts',
    scope: 'webhooks:read',
    answer: one(DeliveryWithAttempts),
    run: ({ context, caller, params }) => getDelivery(context, caller, params.id),
  }),

  post('/v1/deliveries/:id/retry', {
    name: 'retryDelivery',
    summary: 'Retry a delivery',
    description: 'Makes one more attempt now. The retry schedule does not change.',
    scope: 'webhooks:write',
    location: ({ data }) => `/v1/deliveries/${data.id}`,
    answer: written(202, RetriedDelivery),
    run: ({ context, caller, params }) => retryDelivery(context, caller, params.id),
  }),
];
