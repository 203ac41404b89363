// Reading recorded events.
import type { EventKind } from '../events.ts';
import type { Period, Slice } from '../listing.ts';
import type { Db, EventRow } from './database.ts';
import { withinPeriod } from './period.ts';

export interface EventFilters extends Period {
  event?: EventKind | undefined;
  test: boolean;
}

export function findEvent(db: Db, projectId: string, id: string): Promise<EventRow | undefined> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function listEventsById(db: Db, projectId: string, ids: string[]): Promise<EventRow[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', 'in', ids)
    .execute();
}

export function listEventRows(
  db: Db,
  projectId: string,
  filters: EventFilters,
  { limit, before }: Slice,
): Promise<EventRow[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('is_test', '=', filters.test)
    .where(withinPeriod('events', 'event', filters))
    .$if(filters.event !== undefined, (query) => query.where('kind', '=', filters.event!))
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
