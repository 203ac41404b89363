// The REST routes of deliveries.
import { Delivery, DeliveryWithAttempts, ListDeliveries } from '../../schema/deliveries.ts';
import { get, list, one } from '../route.ts';
import { getDelivery, listDeliveries } from './operations.ts';

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
];
