// Operations on deliveries: list a webhook's deliveries, read one with its attempts, retry, send a test
// event.
import {
  countDeliveriesByDay,
  findDelivery,
  listAllDeliveries as listAllRows,
  listDeliveriesById,
  listDeliveryAttempts,
  listDeliveryPages,
  type DeliveryParent,
  type DeliveryWithContext,
} from '../../schema/database/webhooks/deliveries.ts';
import { recordTestEvent } from '../../schema/database/events/record.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { DeliveryAttemptRow } from '../../schema/database/tables.ts';
import { findManualDelivery } from '../../schema/database/webhooks/manual-attempts.ts';
import { insertOutbox } from '../../schema/database/outbox.ts';
import { getWebhookRow, lockWebhook } from '../../schema/database/webhooks/webhooks.ts';
import {
  Delivery,
  DeliveryAttempt,
  type DeliveryCount,
  type DeliveryWithAttempts,
  type ListDeliveries,
  type RetriedDelivery,
} from '../../schema/deliveries.ts';
import { eventCatalogue } from '../../schema/event-types.ts';
import type { TestWebhook } from '../../schema/webhooks.ts';
import type { CountByDay } from '../../schema/wire/counts.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { toPeriod, type Page } from '../../schema/wire/listing.ts';
import { present } from '../../schema/wire/present.ts';
import {
  deliverEventsWorkflowId,
  retryDeliveryWorkflow,
  retryDeliveryWorkflowId,
  type RetryDeliveryInput,
} from '../../schema/workflows.ts';
import type { Caller, Context } from '../http/context.ts';
import { countByDay } from '../http/day-counts.ts';
import { byIds, emptyPage, page, pagesByParent } from '../http/listing.ts';
import { notKept } from '../http/errors.ts';
import { transact, type Answer } from '../http/transact.ts';

export async function listDeliveries(
  context: Context,
  caller: Caller,
  webhookId: string,
  filters: ListDeliveries,
): Promise<Page<Delivery>> {
  await getWebhookRow(context.db, caller, webhookId);
  const pages = await listDeliveriesOf('webhook')(context, caller, [webhookId], filters);
  return pages.get(webhookId) ?? emptyPage(filters);
}

/** Deliveries to all webhooks. */
export function listAllDeliveries(
  { db }: Context,
  caller: Caller,
  filters: ListDeliveries,
): Promise<Page<Delivery>> {
  return page(
    'delivery',
    filters,
    (slice) => listAllRows(db, caller, { ...filters, ...toPeriod(filters) }, slice),
    (rows) => rows.map(presentDelivery),
  );
}

/** Deliveries to all webhooks, by the day of their creation. */
export function listDeliveryCounts(
  context: Context,
  caller: Caller,
  query: CountByDay,
): Promise<Page<DeliveryCount>> {
  return countByDay(context, caller, query, countDeliveriesByDay);
}

/** One page for each parent: a webhook, an event or a post. */
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
      (slice) =>
        listDeliveryPages(
          db,
          caller,
          parent,
          parentIds,
          { ...filters, ...toPeriod(filters) },
          slice,
        ),
      (rows) => rows.map(presentDelivery),
    );
}

/** Also returns a delivery whose webhook was deleted. */
export async function getDelivery(
  context: Context,
  caller: Caller,
  id: string,
): Promise<DeliveryWithAttempts> {
  const { db } = context;
  const row = await findDelivery(db, caller, id);
  if (!row) throw notKept(context, 'delivery', id);
  // Leaves out attempts that were recorded between the two reads.
  const attempts = (await listDeliveryAttempts(db, caller.projectId, [id])).filter(
    ({ number }) => number <= row.attempt_count,
  );
  return { ...presentDelivery(row), attempts: attempts.map(presentAttempt) };
}

export const findDeliveries = byIds(listDeliveriesById, presentDelivery);

/** Attempts by the ID of their delivery. */
export async function findDeliveryAttempts(
  { db }: Context,
  { projectId }: RowScope,
  ids: string[],
): Promise<Map<string, DeliveryAttempt[]>> {
  const rows = await listDeliveryAttempts(db, projectId, ids);
  const attempts = Map.groupBy(rows, ({ delivery_id }) => delivery_id);
  return new Map([...attempts].map(([id, those]) => [id, those.map(presentAttempt)]));
}

/** Makes one attempt now, in addition to the schedule, in any status and even to a disabled webhook. */
export function retryDelivery(
  context: Context,
  caller: Caller,
  id: string,
): Promise<Answer<RetriedDelivery>> {
  return transact(context, caller, async ({ trx }) => {
    const row = await findDelivery(trx, caller, id);
    if (!row) throw notKept(context, 'delivery', id);
    const sendable = await findManualDelivery(trx, id);
    if (!sendable?.webhook) {
      throw new AppError('conflict', 'The webhook of this delivery was deleted.');
    }
    if (sendable.body === null) {
      throw new AppError('conflict', 'The event of this delivery is no longer stored.');
    }
    if (sendable.is_paused) {
      throw new AppError('conflict', 'Deliveries are paused by the operator.', {
        hint: 'Retry after the operator has resumed them.',
      });
    }
    const input: RetryDeliveryInput = { deliveryId: id };
    await insertOutbox(trx, {
      projectId: caller.projectId,
      workflow: retryDeliveryWorkflow,
      workflowId: (outboxId) => retryDeliveryWorkflowId(id, outboxId),
      input,
    });
    const notice =
      row.status === 'delivered'
        ? 'This event was already delivered. The receiver gets it again.'
        : null;
    return { status: 202, data: { ...presentDelivery(row), notice } };
  });
}

/** Sends a sample of any event type, subscribed or not, like a real event. The webhook may be disabled. */
export function testWebhook(
  context: Context,
  caller: Caller,
  id: string,
  { event }: TestWebhook,
): Promise<Answer<Delivery>> {
  return transact(context, caller, async ({ trx, change }) => {
    const webhook = await lockWebhook(trx, caller, id);
    const type = event ?? webhook.events[0]!;
    const { eventId, deliveryId } = await recordTestEvent(trx, {
      projectId: caller.projectId,
      webhookId: id,
      environment: webhook.environment,
      type,
      data: eventCatalogue[type].sample,
    });
    change({ subject: 'event', subject_id: eventId, kind: 'recorded' });
    change({ subject: 'delivery', subject_id: deliveryId, kind: 'created' });
    const row = await findDelivery(trx, caller, deliveryId);
    return { status: 202, data: presentDelivery(row!) };
  });
}

function presentDelivery(row: DeliveryWithContext): Delivery {
  const { batch_id: batchId } = row;
  const workflow_id = batchId === null ? null : deliverEventsWorkflowId(batchId);
  return present(Delivery, { ...row, workflow_id });
}

const presentAttempt = (row: DeliveryAttemptRow) => present(DeliveryAttempt, row);
