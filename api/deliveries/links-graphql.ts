// What leads to deliveries from other resources, in GraphQL.
import { ListDeliveries } from '../../schema/deliveries.ts';
import { EventRef } from '../events/graphql.ts';
import { toIdCursor } from '../graphql/connections.ts';
import { linkPages } from '../graphql/links.ts';
import { PostRef } from '../posts/graphql/shapes.ts';
import { WebhookRef } from '../webhooks/graphql.ts';
import { DeliveryConnection, deliveryFilters } from './graphql.ts';
import { listDeliveriesOf } from './operations.ts';

const pages = {
  type: DeliveryConnection,
  scope: 'webhooks:read',
  schema: ListDeliveries,
  filters: deliveryFilters,
  toNodeCursor: toIdCursor,
} as const;

linkPages(WebhookRef, 'deliveries', {
  ...pages,
  description: 'Its deliveries, newest first.',
  listMany: listDeliveriesOf('webhook'),
});

linkPages(EventRef, 'deliveries', {
  ...pages,
  description: 'Its deliveries, one for each webhook, newest first.',
  listMany: listDeliveriesOf('event'),
});

linkPages(PostRef, 'deliveries', {
  ...pages,
  description: 'The deliveries of its events, newest first.',
  listMany: listDeliveriesOf('post'),
});
