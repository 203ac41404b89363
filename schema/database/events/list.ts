// Reading recorded events.
import { sql } from 'kysely';
import type { EventType } from '../../event-types.ts';
import type { Period, Slice } from '../../wire/listing.ts';
import type { Db, EventRow } from '../tables.ts';
import { isOnPage, listPages, weigh, withinPeriod, type Weight } from '../listing.ts';
import { selectInScope, type RowScope } from '../row-scope.ts';

export interface EventFilters extends Period {
  event?: EventType | undefined;
  test: boolean;
}

export function findEvent(db: Db, scope: RowScope, id: string): Promise<EventRow | undefined> {
  return selectInScope(db, scope, 'events').where('id', '=', id).executeTakeFirst();
}

export function listEventsById(db: Db, scope: RowScope, ids: string[]): Promise<EventRow[]> {
  return selectInScope(db, scope, 'events').where('id', 'in', ids).execute();
}

export function listEventRows(
  db: Db,
  scope: RowScope,
  filters: EventFilters,
  { limit, before }: Slice,
): Promise<(EventRow & Weight)[]> {
  const page = selectInScope(db, scope, 'events')
    .select(weigh(sql`octet_length(body)`, sql`id desc`))
    .where('is_test', '=', filters.test)
    .where(withinPeriod('events', 'event', filters))
    .$if(filters.event !== undefined, (query) => query.where('kind', '=', filters.event!))
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .as('page');
  return db.selectFrom(page).selectAll().where(isOnPage).orderBy('id', 'desc').execute();
}

/** A page of events for each of these posts or accounts. */
export function listEventPages(
  db: Db,
  scope: RowScope,
  parent: 'post_id' | 'social_account_id',
  parentIds: string[],
  slice: Slice,
): Promise<(EventRow & { parent_id: string })[]> {
  const rows = selectInScope(db, scope, 'events');
  return listPages(db, rows, parentIds, { parent, by: ['events', 'id'] }, slice);
}
