// Reading deliveries and their attempts.
import type { DeliveryStatus } from '../deliveries.ts';
import type { EventKind } from '../events.ts';
import type { Period, Slice } from '../listing.ts';
import type { Db, DeliveryAttemptRow, DeliveryRow } from './database.ts';
import { withinPeriod } from './period.ts';

/** With the webhook's address, and the post that the event is about. */
export type DeliveryWithContext = DeliveryRow & { url: string; post_id: string | null };

export interface DeliveryFilters extends Period {
  status?: DeliveryStatus | undefined;
  event?: EventKind | undefined;
}

export function findDelivery(
  db: Db,
  projectId: string,
  id: string,
): Promise<DeliveryWithContext | undefined> {
  return selectDeliveries(db, projectId).where('d.id', '=', id).executeTakeFirst();
}

export function listDeliveryRows(
  db: Db,
  projectId: string,
  webhookId: string,
  filters: DeliveryFilters,
  { limit, before }: Slice,
): Promise<DeliveryWithContext[]> {
  return selectDeliveries(db, projectId)
    .where('d.webhook_id', '=', webhookId)
    .where(withinPeriod('d', 'delivery', filters))
    .$if(filters.status !== undefined, (query) => query.where('d.status', '=', filters.status!))
    .$if(filters.event !== undefined, (query) => query.where('d.event', '=', filters.event!))
    .$if(before !== undefined, (query) => query.where('d.id', '<', before!))
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute();
}

/** Without a project of any: for the live feed, whose changes belong to a project already. */
export async function listDeliveriesById(
  db: Db,
  ids: string[],
  projectId?: string,
): Promise<DeliveryWithContext[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('deliveries as d')
    .innerJoin('webhook_subscriptions as w', 'w.id', 'd.webhook_id')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .selectAll('d')
    .select(['w.url', 'e.post_id'])
    .where('d.id', 'in', ids)
    .$if(projectId !== undefined, (query) => query.where('d.project_id', '=', projectId!))
    .execute();
}

export function listDeliveryAttempts(db: Db, deliveryId: string): Promise<DeliveryAttemptRow[]> {
  return db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('number')
    .execute();
}

/** Of many deliveries of the project, each one's in their order. */
export function listAttemptsOfDeliveries(
  db: Db,
  projectId: string,
  deliveryIds: string[],
): Promise<DeliveryAttemptRow[]> {
  return db
    .selectFrom('delivery_attempts as a')
    .innerJoin('deliveries as d', 'd.id', 'a.delivery_id')
    .selectAll('a')
    .where('d.project_id', '=', projectId)
    .where('a.delivery_id', 'in', deliveryIds)
    .orderBy('a.delivery_id')
    .orderBy('a.number')
    .execute();
}

function selectDeliveries(db: Db, projectId: string) {
  return db
    .selectFrom('deliveries as d')
    .innerJoin('webhook_subscriptions as w', 'w.id', 'd.webhook_id')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .selectAll('d')
    .select(['w.url', 'e.post_id'])
    .where('d.project_id', '=', projectId);
}
