// What leads to events from other resources, in GraphQL.
import { listQuery } from '../../schema/wire/listing.ts';
import { AccountRef } from '../accounts/graphql.ts';
import { DeliveryRef } from '../deliveries/graphql.ts';
import { toIdCursor } from '../graphql/connections.ts';
import { linkOne, linkPages } from '../graphql/links.ts';
import { PostRef } from '../posts/graphql/shapes.ts';
import { EventConnection, eventNodes, EventRef } from './graphql.ts';
import { listEventsOf } from './operations.ts';

const pages = {
  type: EventConnection,
  description: 'What was recorded of it, newest first.',
  scope: 'webhooks:read',
  schema: listQuery({}),
  toNodeCursor: toIdCursor,
} as const;

linkPages(PostRef, 'events', { ...pages, listMany: listEventsOf('post_id') });
linkPages(AccountRef, 'events', { ...pages, listMany: listEventsOf('social_account_id') });

linkOne(DeliveryRef, 'recordedEvent', {
  type: EventRef,
  load: eventNodes.load,
  description: 'What is delivered. Null: no longer kept.',
  idOf: (delivery) => delivery.event_id,
});
