// Recorded events and their types, in GraphQL.
import {
  eventCatalogue,
  eventTypes,
  isSentMeaning,
  ListEvents,
  type EventTypeInfo,
  type RecordedEvent,
} from '../../schema/events.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf } from '../graphql/connections.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { read } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { findEvents, getEvent, listEventTypes, listEvents } from './operations.ts';

export const EventTypeRef = wordEnum('EventType', eventTypes, {
  ...Object.fromEntries(eventTypes.map((kind) => [kind, eventCatalogue[kind].meaning])),
  enum: 'An event type.',
});

const AvailabilityRef = wordEnum('Availability', ['live', 'coming_soon']);

const EventTypeInfoRef = builder.objectRef<EventTypeInfo>('EventTypeInfo').implement({
  fields: (t) => ({
    event: t.expose('event', { type: EventTypeRef }),
    meaning: t.exposeString('meaning'),
    availability: t.expose('availability', { type: AvailabilityRef }),
    isSent: t.exposeBoolean('is_sent', { description: isSentMeaning }),
    jsonSchema: t.expose('json_schema', {
      type: 'JSON',
      description: 'The JSON Schema of the whole request body: event, timestamp and data.',
    }),
  }),
});

export const EventRef = builder.objectRef<RecordedEvent>('Event');
export const eventNodes = nodesOf('webhooks:read', findEvents);

builder.node(EventRef, {
  ...eventNodes.options,
  description: 'A recorded event.',
  fields: (t) => ({
    event: t.expose('event', { type: EventTypeRef }),
    timestamp: t.expose('timestamp', { type: 'DateTime' }),
    data: t.expose('data', { type: 'JSON', description: 'What webhooks receive, as they do.' }),
    body: t.exposeString('body', {
      description: 'The request body that webhooks receive, to the byte.',
    }),
    postId: t.exposeID('post_id', { nullable: true }),
    socialAccountId: t.exposeID('social_account_id', { nullable: true }),
    test: t.exposeBoolean('test'),
  }),
});

export const EventConnection = connectionOf('EventConnection', EventRef);

queryOne('event', {
  type: EventRef,
  description: 'A recorded event.',
  scope: 'webhooks:read',
  what: 'event',
  get: getEvent,
});

queryPages('events', {
  type: EventConnection,
  description: 'The recorded events, newest first.',
  scope: 'webhooks:read',
  schema: ListEvents,
  filters: builder.args((t) => ({
    event: t.field({ type: EventTypeRef }),
    since: t.field({ type: 'DateTime' }),
    until: t.field({ type: 'DateTime', description: 'Up to, not including, this.' }),
    test: t.boolean({ description: '`true`: the test events instead of the real ones.' }),
  })),
  list: listEvents,
});

builder.queryField('eventTypes', (t) =>
  t.field({
    type: [EventTypeInfoRef],
    nullable: true,
    description: 'The event types and the schemas of their bodies.',
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, undefined, (context) => listEventTypes(context).data),
  }),
);
