// Reading events: those that were recorded, and the kinds that there are.
import { findEvent, listEventRows } from '../../schema/database/recorded-events.ts';
import type { Event, EventKindInfo, ListEvents } from '../../schema/events.ts';
import type { Page } from '../../schema/listing.ts';
import type { Caller, Context } from '../context.ts';
import { page, wholePage } from '../listing.ts';
import { notKept } from '../retention.ts';
import { describeKinds } from './kinds.ts';
import { presentEvent } from './presenter.ts';

export function listEvents(
  { db }: Context,
  { projectId }: Caller,
  filters: ListEvents,
): Promise<Page<Event>> {
  return page(
    'event',
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

export function listEventKinds({ config }: Pick<Context, 'config'>): Page<EventKindInfo> {
  return wholePage(describeKinds(config));
}
