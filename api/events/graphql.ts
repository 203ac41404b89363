// Recorded events and their kinds, in GraphQL.
import {
  eventCatalogue,
  eventKinds,
  isSentMeaning,
  ListEvents,
  type Event,
  type EventKindInfo,
} from '../../schema/events.ts';
import { builder, operationCost } from '../builder.ts';
import { list, read, readId } from '../graphql-operation.ts';
import {
  connectionOf,
  idArguments,
  pageArguments,
  pageCost,
  toConnection,
  wordEnum,
} from '../graphql-shapes.ts';
import { getEvent, listEventKinds, listEvents } from './operations.ts';

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

const EventRef = builder.objectRef<Event>('Event').implement({
  description: 'A recorded event.',
  fields: (t) => ({
    id: t.exposeID('id'),
    event: t.expose('event', { type: EventKindRef }),
    timestamp: t.expose('timestamp', { type: 'DateTime' }),
    data: t.expose('data', { type: 'JSON', description: 'What webhooks receive, as they do.' }),
    postId: t.exposeID('post_id', { nullable: true }),
    socialAccountId: t.exposeID('social_account_id', { nullable: true }),
    test: t.exposeBoolean('test'),
  }),
});

const EventConnection = connectionOf('EventConnection', EventRef);

builder.queryFields((t) => ({
  event: t.field({
    type: EventRef,
    nullable: true,
    description: 'A recorded event.',
    complexity: operationCost,
    args: idArguments,
    resolve: (_, { id }, graphql) =>
      read(graphql, 'webhooks:read', (context, caller) =>
        getEvent(context, caller, readId('event', id)),
      ),
  }),
  events: t.field({
    type: EventConnection,
    nullable: true,
    description: 'The recorded events, newest first.',
    complexity: pageCost,
    args: {
      ...pageArguments,
      event: t.arg({ type: EventKindRef }),
      since: t.arg({ type: 'DateTime' }),
      until: t.arg({ type: 'DateTime', description: 'Up to, not including, this.' }),
      test: t.arg.boolean({ description: '`true`: the test events instead of the real ones.' }),
    },
    resolve: async (_, args, graphql) =>
      toConnection(await list(graphql, 'webhooks:read', ListEvents, args, listEvents)),
  }),
  eventKinds: t.field({
    type: [EventKindInfoRef],
    nullable: true,
    description: 'The kinds of events and the schemas of their bodies.',
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, undefined, (context) => listEventKinds(context).data),
  }),
}));
