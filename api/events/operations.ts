// Operations on events: read recorded events, list the event types.
import { z } from 'zod';
import {
  findEvent,
  listEventPages,
  listEventRows,
  listEventsById,
} from '../../schema/database/events/list.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import { eventBody, eventCatalogue, eventTypes, isSent } from '../../schema/event-types.ts';
import type { EventTypeInfo, ListEvents, RecordedEvent } from '../../schema/events.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import type { Caller, Context } from '../http/context.ts';
import { page, pagesByParent, wholePage } from '../http/listing.ts';
import { notKept } from '../http/errors.ts';
import { presentEvent } from './presenter.ts';

export function listEvents(
  { db }: Context,
  caller: Caller,
  filters: ListEvents,
): Promise<Page<RecordedEvent>> {
  return page(
    'event',
    filters,
    (slice) => listEventRows(db, caller, filters, slice),
    (rows) => rows.map(presentEvent),
  );
}

export async function getEvent(
  context: Context,
  caller: Caller,
  id: string,
): Promise<RecordedEvent> {
  const row = await findEvent(context.db, caller, id);
  if (!row) throw notKept(context, 'event', id);
  return presentEvent(row);
}

/** The events with these ids that the scope includes. */
export async function findEvents(
  { db }: Context,
  scope: RowScope,
  ids: string[],
): Promise<RecordedEvent[]> {
  return (await listEventsById(db, scope, ids)).map(presentEvent);
}

/** One page of events for each parent: a post or an account. */
export function listEventsOf(parent: 'post_id' | 'social_account_id') {
  return (
    { db }: Context,
    caller: Caller,
    parentIds: string[],
    paging: Paging,
  ): Promise<Map<string, Page<RecordedEvent>>> =>
    pagesByParent(
      'event',
      paging,
      (slice) => listEventPages(db, caller, parent, parentIds, slice),
      (rows) => rows.map(presentEvent),
    );
}

const describedTypes = eventTypes.map((event) => ({
  event,
  meaning: eventCatalogue[event].meaning,
  availability: eventCatalogue[event].availability,
  json_schema: z.toJSONSchema(eventBody(event), {
    io: 'input',
    // A strict validator refuses keywords that JSON Schema doesn't have.
    override: ({ jsonSchema }) => {
      delete jsonSchema['x-enum'];
      delete jsonSchema['x-enumDescriptions'];
    },
  }),
}));

export function listEventTypes({ config }: Pick<Context, 'config'>): Page<EventTypeInfo> {
  return wholePage(
    describedTypes.map((type) => ({ ...type, is_sent: isSent(type.event, config) })),
  );
}
