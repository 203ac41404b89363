// What a client may do with deliveries: list those of a webhook, read one with its attempts, retry it.
import {
  findDelivery,
  listDeliveryAttempts,
  listDeliveriesById,
  listDeliveryRows,
} from '../../schema/database/webhooks/deliveries.ts';
import {
  listDeliveryPages,
  type DeliveryParent,
} from '../../schema/database/webhooks/delivery-pages.ts';
import { findManualDelivery } from '../../schema/database/webhooks/manual-attempts.ts';
import { insertOutbox } from '../../schema/database/dispatch/outbox.ts';
import { getWebhookRow } from '../../schema/database/webhooks/webhooks.ts';
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryWithAttempts,
  ListDeliveries,
  RetriedDelivery,
} from '../../schema/deliveries.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Page } from '../../schema/wire/listing.ts';
import {
  retryDeliveryWorkflow,
  retryDeliveryWorkflowId,
  type RetryDeliveryInput,
} from '../../schema/workflows.ts';
import type { Caller, Context } from '../server/context.ts';
import { page, pagesByParent } from '../http/listing.ts';
import { notKept } from '../http/retention.ts';
import { transact, type Answer } from '../http/transact.ts';
import { presentAttempt, presentDelivery } from './presenter.ts';

export async function listDeliveries(
  { db }: Context,
  caller: Caller,
  webhookId: string,
  filters: ListDeliveries,
): Promise<Page<Delivery>> {
  await getWebhookRow(db, caller, webhookId);
  return page(
    'delivery',
    filters,
    (slice) => listDeliveryRows(db, caller, webhookId, filters, slice),
    (rows) => rows.map(presentDelivery),
  );
}

/** A page for each of these webhooks, events or posts. */
export function listDeliveriesOf(parent: DeliveryParent) {
  return (
    { db }: Context,
    caller: Caller,
    parentIds: string[],
    filters: ListDeliveries,
  ): Promise<Map<string, Page<Delivery>>> =>
    pagesByParent(
      'delivery',
      filters,
      (slice) => listDeliveryPages(db, caller, parent, parentIds, filters, slice),
      (rows) => rows.map(presentDelivery),
    );
}

/** Also of a webhook that was deleted since. */
export async function getDelivery(
  context: Context,
  caller: Caller,
  id: string,
): Promise<DeliveryWithAttempts> {
  const { db } = context;
  const row = await findDelivery(db, caller, id);
  if (!row) throw notKept(context, 'delivery', id);
  // One that was recorded between the two reads belongs to a later state.
  const attempts = (await listDeliveryAttempts(db, [id])).filter(
    ({ number }) => number <= row.attempt_count,
  );
  return { ...presentDelivery(row), attempts: attempts.map(presentAttempt) };
}

/** Of these those that the caller may see. */
export async function findDeliveries(
  { db }: Context,
  caller: Caller,
  ids: string[],
): Promise<Delivery[]> {
  return (await listDeliveriesById(db, caller, ids)).map(presentDelivery);
}

/** Of deliveries that were found for the caller already, by their ids. */
export async function findDeliveryAttempts(
  { db }: Context,
  ids: string[],
): Promise<Map<string, DeliveryAttempt[]>> {
  const rows = await listDeliveryAttempts(db, ids);
  const attempts = Map.groupBy(rows, ({ delivery_id }) => delivery_id);
  return new Map([...attempts].map(([id, those]) => [id, those.map(presentAttempt)]));
}

/** One attempt now, beside the schedule; of a delivery of any status, also of a disabled webhook. */
export function retryDelivery(
  context: Context,
  caller: Caller,
  id: string,
): Promise<Answer<RetriedDelivery>> {
  return transact(context, caller, async ({ trx, notify }) => {
    const row = await findDelivery(trx, caller, id);
    if (!row) throw notKept(context, 'delivery', id);
    const sendable = await findManualDelivery(trx, id);
    if (!sendable?.webhook) {
      throw new AppError('conflict', 'The webhook of this delivery was deleted.');
    }
    if (sendable.body === null) {
      throw new AppError(
        'conflict',
        'The event of this delivery is too old: it is no longer kept.',
      );
    }
    if (sendable.is_paused) {
      throw new AppError('conflict', 'Deliveries are paused by the operator.', {
        hint: 'What waits is sent when they are resumed; retry then.',
      });
    }
    const input: RetryDeliveryInput = { deliveryId: id };
    await insertOutbox(trx, {
      workflow: retryDeliveryWorkflow,
      workflowId: (outboxId) => retryDeliveryWorkflowId(id, outboxId),
      input,
    });
    notify('fanfare_outbox');
    const notice =
      row.status === 'delivered'
        ? 'This event was delivered already; the receiver gets it again.'
        : null;
    return { status: 202, data: { ...presentDelivery(row), notice } };
  });
}
