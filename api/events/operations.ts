// Operations on events: read recorded events, list the event types.
import { z } from 'zod';
import {
  findEvent,
  listEventPages,
  listEventRows,
  listEventsById,
} from '../../schema/database/events/list.ts';
import type { EventRow } from '../../schema/database/tables.ts';
import { eventBody, eventCatalogue, eventTypes, isSent } from '../../schema/event-types.ts';
import type { Event, EventTypeInfo, ListEvents, RecordedEvent } from '../../schema/events.ts';
import { toPeriod, type Page, type Paging } from '../../schema/wire/listing.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Caller, Context } from '../http/context.ts';
import { byIds, page, pagesByParent, wholePage } from '../http/listing.ts';
import { notKept } from '../http/errors.ts';

export function listEvents(
  { db }: Context,
  caller: Caller,
  filters: ListEvents,
): Promise<Page<RecordedEvent>> {
  return page(
    'event',
    filters,
    (slice) => listEventRows(db, caller, { ...filters, ...toPeriod(filters) }, slice),
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

export const findEvents = byIds(listEventsById, presentEvent);

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

/** The data come from the body that webhooks receive. */
function presentEvent(row: EventRow): RecordedEvent {
  const { data } = JSON.parse(row.body) as Pick<Event, 'data'>;
  return {
    id: row.id,
    event: row.kind,
    timestamp: toTimestamp(row.created_at),
    data,
    post_id: row.post_id,
    social_account_id: row.social_account_id,
    test: row.is_test,
    body: row.body,
  };
}

const describedTypes = eventTypes.map((event) => ({
  event,
  meaning: eventCatalogue[event].meaning,
  availability: eventCatalogue[event].availability,
  json_schema: z.toJSONSchema(eventBody(event), {
    io: 'input',
    // Removes keywords that JSON Schema doesn't have, because strict validators refuse them.
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
