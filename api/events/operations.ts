// Reading events: those that were recorded, and the kinds that there are.
import { findEvent, listEventRows, listEventsById } from '../../schema/database/recorded-events.ts';
import type { Event, EventKindInfo, ListEvents } from '../../schema/events.ts';
import type { Page } from '../../schema/listing.ts';
import type { Caller, Context } from '../context.ts';
import { page, wholePage } from '../listing.ts';
import { notKept } from '../retention.ts';
import { eventKindInfos } from './kinds.ts';
import { presentEvent } from './presenter.ts';

export function listEvents(
  { db }: Context,
  { projectId }: Caller,
  filters: ListEvents,
): Promise<Page<Event>> {
  return page(
    filters,
    (slice) => listEventRows(db, projectId, filters, slice),
    (rows) => rows.map(presentEvent),
  );
}

export async function getEvent(
  context: Context,
  { projectId }: Caller,
  id: string,
): Promise<Event> {
  const row = await findEvent(context.db, projectId, id);
  if (!row) throw notKept(context, 'event', id);
  return presentEvent(row);
}

/** Of these those of the project. */
export async function findEvents(
  { db }: Context,
  { projectId }: Caller,
  ids: string[],
): Promise<Event[]> {
  return (await listEventsById(db, projectId, ids)).map(presentEvent);
}

export function listEventKinds(): Page<EventKindInfo> {
  return wholePage(eventKindInfos);
}
