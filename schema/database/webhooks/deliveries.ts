// Reading deliveries and their attempts.
import type { DeliveryStatus } from '../../deliveries.ts';
import type { EventType } from '../../events.ts';
import type { Period, Slice } from '../../wire/listing.ts';
import type { Db, DeliveryAttemptRow, DeliveryRow } from '../tables.ts';
import { matchesFilters } from './delivery-pages.ts';
import { inScope, type RowScope } from '../row-scope.ts';

/** With the webhook's address, and the post that the event is about. */
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

export function listDeliveryRows(
  db: Db,
  scope: RowScope,
  webhookId: string,
  filters: DeliveryFilters,
  { limit, before }: Slice,
): Promise<DeliveryWithContext[]> {
  return selectDeliveries(db, scope)
    .where('d.webhook_id', '=', webhookId)
    .where(matchesFilters(filters, before))
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute();
}

export async function listDeliveriesById(
  db: Db,
  scope: RowScope,
  ids: string[],
): Promise<DeliveryWithContext[]> {
  if (ids.length === 0) return [];
  return selectDeliveries(db, scope).where('d.id', 'in', ids).execute();
}

/** Of deliveries that were found for their project already, each one's in their order. */
export function listDeliveryAttempts(db: Db, deliveryIds: string[]): Promise<DeliveryAttemptRow[]> {
  return db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('delivery_id')
    .orderBy('number')
    .execute();
}

/** A delivery is in the scopes that its webhook is in. */
function selectDeliveries(db: Db, scope: RowScope) {
  return db
    .selectFrom('deliveries as d')
    .innerJoin('webhook_subscriptions as w', 'w.id', 'd.webhook_id')
    .leftJoin('events as e', 'e.id', 'd.event_id')
    .selectAll('d')
    .select(['w.url', 'e.post_id'])
    .where(inScope(scope, 'w'));
}
