// Recorded events and their kinds, in GraphQL.
import {
  eventCatalogue,
  eventKinds,
  isSentMeaning,
  ListEvents,
  type EventKindInfo,
  type RecordedEvent,
} from '../../schema/events.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf } from '../graphql/connections.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { read } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { findEvents, getEvent, listEventKinds, listEvents } from './operations.ts';

export const EventKindRef = wordEnum('EventKind', eventKinds, {
  ...Object.fromEntries(eventKinds.map((kind) => [kind, eventCatalogue[kind].meaning])),
  enum: 'A kind of event.',
});

const AvailabilityRef = wordEnum('Availability', ['live', 'coming_soon']);

const EventKindInfoRef = builder.objectRef<EventKindInfo>('EventKindInfo').implement({
  fields: (t) => ({
    event: t.expose('event', { type: EventKindRef }),
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
    event: t.expose('event', { type: EventKindRef }),
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
    event: t.field({ type: EventKindRef }),
    since: t.field({ type: 'DateTime' }),
    until: t.field({ type: 'DateTime', description: 'Up to, not including, this.' }),
    test: t.boolean({ description: '`true`: the test events instead of the real ones.' }),
  })),
  list: listEvents,
});

builder.queryField('eventKinds', (t) =>
  t.field({
    type: [EventKindInfoRef],
    nullable: true,
    description: 'The kinds of events and the schemas of their bodies.',
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, undefined, (context) => listEventKinds(context).data),
  }),
);
