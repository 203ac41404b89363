// Reading events: those that were recorded, and the kinds that there are.
import {
  findEvent,
  listEventPages,
  listEventRows,
  listEventsById,
} from '../../schema/database/recorded-events.ts';
import type { EventKindInfo, ListEvents, RecordedEvent } from '../../schema/events.ts';
import type { Page, Paging } from '../../schema/listing.ts';
import type { Caller, Context } from '../context.ts';
import { page, pagesByParent, wholePage } from '../listing.ts';
import { notKept } from '../retention.ts';
import { describeKinds } from './kinds.ts';
import { presentEvent } from './presenter.ts';

export function listEvents(
  { db }: Context,
  { projectId }: Caller,
  filters: ListEvents,
): Promise<Page<RecordedEvent>> {
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
): Promise<RecordedEvent> {
  const row = await findEvent(context.db, projectId, id);
  if (!row) throw notKept(context, 'event', id);
  return presentEvent(row);
}

/** Of these those of the project. */
export async function findEvents(
  { db }: Context,
  { projectId }: Caller,
  ids: string[],
): Promise<RecordedEvent[]> {
  return (await listEventsById(db, projectId, ids)).map(presentEvent);
}

/** A page for each of these posts or accounts, of its own events. */
export function listEventsOf(parent: 'post_id' | 'social_account_id') {
  return (
    { db }: Context,
    { projectId }: Caller,
    parentIds: string[],
    paging: Paging,
  ): Promise<Map<string, Page<RecordedEvent>>> =>
    pagesByParent(
      'event',
      paging,
      (slice) => listEventPages(db, projectId, parent, parentIds, slice),
      (rows) => rows.map(presentEvent),
    );
}

export function listEventKinds({ config }: Pick<Context, 'config'>): Page<EventKindInfo> {
  return wholePage(describeKinds(config));
}
