// Recorded events and their types, in GraphQL. Events name posts and accounts, so both sides of these
// links are here.
import { EventType } from '../../schema/event-types.ts';
import {
  Availability,
  ListEvents,
  type EventTypeInfo,
  type RecordedEvent,
} from '../../schema/events.ts';
import { useInstead } from '../../schema/wire/deprecations.ts';
import { listQuery } from '../../schema/wire/listing.ts';
import { validationError } from '../../schema/wire/errors.ts';
import { accountNodes, AccountRef } from '../accounts/graphql.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf, toIdCursor } from '../graphql/connections.ts';
import { linkOne, linkPages } from '../graphql/links.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { read } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { subscriptionOf } from '../graphql/subscriptions.ts';
import { postNodes, PostRef } from '../posts/graphql/shapes.ts';
import { findEvents, getEvent, listEventTypes, listEvents, listEventsOf } from './operations.ts';

export const EventTypeRef = wordEnum(EventType);

const AvailabilityRef = wordEnum(Availability);

const EventTypeInfoRef = builder.objectRef<EventTypeInfo>('EventTypeInfo').implement({
  fields: (t) => ({
    event: t.expose('event', { type: EventTypeRef }),
    meaning: t.exposeString('meaning'),
    availability: t.expose('availability', { type: AvailabilityRef }),
    isSent: t.exposeBoolean('is_sent'),
    jsonSchema: t.expose('json_schema', { type: 'JSON' }),
  }),
});

export const EventRef = builder.objectRef<RecordedEvent>('Event');
export const eventNodes = nodesOf('webhooks:read', findEvents);

builder.node(EventRef, {
  ...eventNodes.options,
  fields: (t) => ({
    event: t.expose('event', { type: EventTypeRef }),
    timestamp: t.expose('timestamp', { type: 'DateTime' }),
    data: t.expose('data', { type: 'JSON' }),
    body: t.exposeString('body', {
      description: 'Request body that webhooks receive, byte for byte.',
    }),
    postId: t.exposeID('post_id', { nullable: true }),
    socialAccountId: t.exposeID('social_account_id', { nullable: true }),
    test: t.exposeBoolean('test'),
  }),
});

const EventConnection = connectionOf('EventConnection', EventRef);

queryOne('event', {
  type: EventRef,
  scope: 'webhooks:read',
  resource: 'event',
  get: getEvent,
});

queryPages('events', {
  type: EventConnection,
  scope: 'webhooks:read',
  schema: ListEvents,
  filters: builder.args((t) => ({
    event: t.field({ type: EventTypeRef }),
    from: t.field({ type: 'DateTime' }),
    to: t.field({ type: 'DateTime' }),
    since: t.field({ type: 'DateTime', deprecationReason: useInstead('from', '0.2') }),
    until: t.field({ type: 'DateTime', deprecationReason: useInstead('to', '0.2') }),
    test: t.boolean(),
  })),
  list: listEvents,
});

builder.queryField('eventTypes', (t) =>
  t.field({
    type: [EventTypeInfoRef],
    nullable: true,
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, undefined, (context) => listEventTypes(context).data),
  }),
);

linkOne(EventRef, 'account', {
  type: AccountRef,
  load: accountNodes.load,
  description: 'Account that the event is about. Null if there is none.',
  idOf: (event) => event.social_account_id,
});

linkOne(EventRef, 'post', {
  type: PostRef,
  load: postNodes.load,
  description:
    'Post that the event is about, in its current state. Null if there is none or it was deleted.',
  idOf: (event) => event.post_id,
});

const pages = {
  type: EventConnection,
  description: 'Events, newest first.',
  scope: 'webhooks:read',
  schema: listQuery({}),
  toNodeCursor: toIdCursor,
} as const;

linkPages(PostRef, 'events', { ...pages, listMany: listEventsOf('post_id') });
linkPages(AccountRef, 'events', { ...pages, listMany: listEventsOf('social_account_id') });

subscriptionOf('eventRecorded', {
  description: "The project's events as they are recorded, even if no webhook receives them.",
  subject: 'event',
  type: EventRef,
  scope: 'webhooks:read',
  find: findEvents,
  filters: builder.args((t) => ({
    types: t.field({
      type: [EventTypeRef],
      description: 'Only events of these types. Default: all types.',
    }),
    test: t.boolean({
      description: '`true` streams test events instead of real ones. Default: false.',
    }),
  })),
  match({ types, test }) {
    if (types?.length === 0) {
      const message = 'must name at least one type';
      throw validationError([{ path: ['types'], code: 'too_small', message }]);
    }
    return { event: types, test: test ?? false };
  },
});
