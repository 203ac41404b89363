// Reading deliveries: those of a webhook, and one with all its attempts.
import {
  findDelivery,
  listDeliveryAttempts,
  listDeliveryRows,
} from '../../schema/database/deliveries.ts';
import { getWebhookRow } from '../../schema/database/webhooks.ts';
import type { Delivery, DeliveryWithAttempts, ListDeliveries } from '../../schema/deliveries.ts';
import { notFound } from '../../schema/errors.ts';
import type { Page } from '../../schema/listing.ts';
import type { Caller, Context } from '../context.ts';
import { page } from '../listing.ts';
import { presentAttempt, presentDelivery } from './presenter.ts';

export async function listDeliveries(
  { db }: Context,
  { projectId }: Caller,
  webhookId: string,
  filters: ListDeliveries,
): Promise<Page<Delivery>> {
  await getWebhookRow(db, projectId, webhookId);
  return page(
    filters,
    (slice) => listDeliveryRows(db, projectId, webhookId, filters, slice),
    (rows) => rows.map(presentDelivery),
  );
}

/** Also of a webhook that was deleted since. */
export async function getDelivery(
  { db }: Context,
  { projectId }: Caller,
  id: string,
): Promise<DeliveryWithAttempts> {
  const row = await findDelivery(db, projectId, id);
  if (!row) throw notFound('delivery', id);
  const attempts = await listDeliveryAttempts(db, id);
  return { ...presentDelivery(row), attempts: attempts.map(presentAttempt) };
}
