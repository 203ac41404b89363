// Reading deliveries and their attempts.
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus } from '../../deliveries.ts';
import type { EventType } from '../../event-types.ts';
import type { Period, Slice } from '../../wire/listing.ts';
import type { Db, DeliveryAttemptRow, DeliveryRow } from '../tables.ts';
import { inScope, type RowScope } from '../row-scope.ts';
import { listPages, withinPeriod, type Days } from '../listing.ts';

/** A delivery with its webhook's URL, and the post that its event is about. */
export type DeliveryWithContext = DeliveryRow & { url: string; post_id: string | null };

export interface DeliveryFilters extends Period {
  status?: DeliveryStatus | undefined;
  event?: EventType | undefined;
}

export function findDelivery(
  db: Db,
  scope: RowScope,
  id: string,
): Promise<DeliveryWithContext | undefined> {
  return selectDeliveries(db, scope).where('d.id', '=', id).executeTakeFirst();
}

export async function listDeliveriesById(
  db: Db,
  scope: RowScope,
  ids: string[],
): Promise<DeliveryWithContext[]> {
  if (ids.length === 0) return [];
  return selectDeliveries(db, scope).where('d.id', 'in', ids).execute();
}

const columns = { webhook: 'd.webhook_id', event: 'd.event_id', post: 'e.post_id' } as const;

export type DeliveryParent = keyof typeof columns;

export function listDeliveryPages(
  db: Db,
  scope: RowScope,
  parent: DeliveryParent,
  parentIds: string[],
  filters: DeliveryFilters,
  slice: Slice,
): Promise<(DeliveryWithContext & { parent_id: string })[]> {
  const rows = selectDeliveries(db, scope).where(matchesFilters(filters));
  return listPages(db, rows, parentIds, { parent: columns[parent], by: ['d', 'id'] }, slice);
}

/**
 * The deliveries to all webhooks. Reads a page of each webhook by its index, since an index on the project
 * would slow every delivery.
 */
export async function listAllDeliveries(
  db: Db,
  scope: RowScope,
  filters: DeliveryFilters,
  { limit, before }: Slice,
): Promise<DeliveryWithContext[]> {
  const isBefore = before === undefined ? sql`true` : sql`d.id < ${before}`;
  const deliveries = sql<DeliveryWithContext>`
    select d.*, w.url, e.post_id
    from webhook_subscriptions as w
    cross join lateral (
      select * from deliveries as d
      where d.webhook_id = w.id and ${matchesFilters(filters)} and ${isBefore}
      order by d.id desc limit ${limit}
    ) as d
    left join events as e on e.id = d.event_id
    where ${inScope(scope, 'w')}
    order by d.id desc limit ${limit}`;
  return (await deliveries.execute(db)).rows;
}

/** By the day of their creation. `day`: an index of `starts`. Reads each webhook by its index, as the list does. */
export async function countDeliveriesByDay(
  db: Db,
  scope: RowScope,
  { starts, from, to }: Days,
): Promise<{ day: number; status: DeliveryStatus; count: number }[]> {
  const counts = sql<{ day: number; status: DeliveryStatus; count: number }>`
    select width_bucket(d.created_at, ${starts}::timestamptz[]) - 1 as day, d.status,
      count(*)::int as count
    from webhook_subscriptions as w
    cross join lateral (
      select d.created_at, d.status from deliveries as d
      where d.webhook_id = w.id and ${withinPeriod('d', 'delivery', { since: from, until: to })}
    ) as d
    where ${inScope(scope, 'w')}
    group by day, d.status order by day, d.status`;
  return (await counts.execute(db)).rows;
}

/** A condition on the deliveries `d`. */
function matchesFilters({ status, event, ...times }: DeliveryFilters): RawBuilder<boolean> {
  const conditions = [withinPeriod('d', 'delivery', times)];
  if (status !== undefined) conditions.push(sql`d.status = ${status}`);
  if (event !== undefined) conditions.push(sql`d.event = ${event}`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}

/** In the order of each delivery's attempts. */
export function listDeliveryAttempts(
  db: Db,
  projectId: string,
  deliveryIds: string[],
): Promise<DeliveryAttemptRow[]> {
  return db
    .selectFrom('delivery_attempts')
    .innerJoin('deliveries', 'deliveries.id', 'delivery_id')
    .selectAll('delivery_attempts')
    .where('project_id', '=', projectId)
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('delivery_id')
    .orderBy('number')
    .execute();
}

/** A delivery has the scope of its webhook. */
function selectDeliveries(db: Db, scope: RowScope) {
  return db
    .selectFrom('deliveries as d')
    .innerJoin('webhook_subscriptions as w', 'w.id', 'd.webhook_id')
    .leftJoin('events as e', 'e.id', 'd.event_id')
    .selectAll('d')
    .select(['w.url', 'e.post_id'])
    .where(inScope(scope, 'w'));
}
