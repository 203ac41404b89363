// A page of deliveries for each of many parents: webhooks, events or posts.
import { sql, type RawBuilder } from 'kysely';
import type { Slice } from '../../wire/listing.ts';
import type { Db } from '../tables.ts';
import type { DeliveryFilters, DeliveryWithContext } from './deliveries.ts';
import { parentRows } from '../parent-rows.ts';
import { withinPeriod } from '../events/period.ts';
import { inScope, type RowScope } from '../row-scope.ts';

const columns = { webhook: 'd.webhook_id', event: 'd.event_id', post: 'e.post_id' } as const;

export type DeliveryParent = keyof typeof columns;

export function listDeliveryPages(
  db: Db,
  scope: RowScope,
  parent: DeliveryParent,
  parentIds: string[],
  filters: DeliveryFilters,
  { limit, before }: Slice,
): Promise<(DeliveryWithContext & { parent_id: string })[]> {
  return db
    .selectFrom(parentRows(parentIds))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('deliveries as d')
          .innerJoin('webhook_subscriptions as w', 'w.id', 'd.webhook_id')
          .leftJoin('events as e', 'e.id', 'd.event_id')
          .selectAll('d')
          .select(['w.url', 'e.post_id'])
          .where(inScope(scope, 'w'))
          .whereRef(columns[parent], '=', 'parent.id')
          .where(matchesFilters(filters, before))
          .orderBy('d.id', 'desc')
          .limit(limit)
          .as('page'),
      (join) => join.onTrue(),
    )
    .selectAll('page')
    .select('parent.id as parent_id')
    .orderBy('page.id', 'desc')
    .execute();
}

/** Of the deliveries `d`. */
export function matchesFilters(
  { status, event, ...times }: DeliveryFilters,
  before: string | undefined,
): RawBuilder<boolean> {
  const conditions = [withinPeriod('d', 'delivery', times)];
  if (status !== undefined) conditions.push(sql`d.status = ${status}`);
  if (event !== undefined) conditions.push(sql`d.event = ${event}`);
  if (before !== undefined) conditions.push(sql`d.id < ${before}`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}
