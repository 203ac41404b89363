// The REST routes of events and their types.
import { Event, EventTypeInfo, ListEvents, type RecordedEvent } from '../../schema/events.ts';
import { present } from '../../schema/wire/present.ts';
import { get, list, one } from '../http/route.ts';
import { getEvent, listEventTypes, listEvents } from './operations.ts';

/** REST leaves the body out. */
const withoutBody = (recorded: RecordedEvent) => present(Event, recorded);

export const eventRoutes = [
  get('/v1/events', {
    name: 'listEvents',
    summary: 'List events',
    description: 'Newest first.',
    scope: 'webhooks:read',
    query: ListEvents,
    answer: list(Event),
    run: async ({ context, caller, query }) => {
      const { data, meta } = await listEvents(context, caller, query);
      return { data: data.map(withoutBody), meta };
    },
  }),

  get('/v1/events/:id', {
    name: 'getEvent',
    summary: 'Get an event',
    scope: 'webhooks:read',
    answer: one(Event),
    run: async ({ context, caller, params }) =>
      withoutBody(await getEvent(context, caller, params.id)),
  }),

  get('/v1/event-types', {
    name: 'listEventTypes',
    summary: 'List event types',
    description: 'Each event type comes with the JSON Schema of its body.',
    scope: 'any key',
    answer: list(EventTypeInfo),
    run: ({ context }) => listEventTypes(context),
  }),
];
