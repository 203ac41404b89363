// The REST routes of deliveries.
import {
  Delivery,
  DeliveryWithAttempts,
  ListDeliveries,
  RetriedDelivery,
} from '../../schema/deliveries.ts';
import { get, list, one, post, written } from '../http/route.ts';
import { getDelivery, listDeliveries, retryDelivery } from './operations.ts';

export const deliveryRoutes = [
  get('/v1/webhooks/:id/deliveries', {
    name: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    scope: 'webhooks:read',
    query: ListDeliveries,
    answer: list(Delivery),
    run: ({ context, caller, params, query }) => listDeliveries(context, caller, params.id, query),
  }),

  get('/v1/deliveries/:id', {
    name: 'getDelivery',
    summary: 'Read a delivery with its attempts',
    scope: 'webhooks:read',
    answer: one(DeliveryWithAttempts),
    run: ({ context, caller, params }) => getDelivery(context, caller, params.id),
  }),

  post('/v1/deliveries/:id/retry', {
    name: 'retryDelivery',
    summary: 'Attempt a delivery once more now; its schedule stays as it is',
    scope: 'webhooks:write',
    answer: written(202, RetriedDelivery),
    run: ({ context, caller, params }) => retryDelivery(context, caller, params.id),
  }),
];
