// Reading events: those that were recorded, and the types that there are.
import {
  findEvent,
  listEventPages,
  listEventRows,
  listEventsById,
} from '../../schema/database/events/list.ts';
import type { EventTypeInfo, ListEvents, RecordedEvent } from '../../schema/events.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import type { Caller, Context } from '../server/context.ts';
import { page, pagesByParent, wholePage } from '../http/listing.ts';
import { notKept } from '../http/retention.ts';
import { describeTypes } from './event-types.ts';
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

/** Of these those that the caller may see. */
export async function findEvents(
  { db }: Context,
  caller: Caller,
  ids: string[],
): Promise<RecordedEvent[]> {
  return (await listEventsById(db, caller, ids)).map(presentEvent);
}

/** A page for each of these posts or accounts, of its own events. */
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

export function listEventTypes({ config }: Pick<Context, 'config'>): Page<EventTypeInfo> {
  return wholePage(describeTypes(config));
}
