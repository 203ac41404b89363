// Reads and records manual attempts, which are made in addition to the schedule.
import { insertChanges } from '../live/changes.ts';
import type { Db, Transaction } from '../tables.ts';
import type { Exchange } from './delivery-attempts.ts';
import { areDeliveriesPaused } from '../pauses.ts';

/** `body` is null if the event was pruned, `webhook` undefined if it was deleted. */
export async function findManualDelivery(db: Db, id: string) {
  const row = await db
    .selectFrom('deliveries as d')
    .leftJoin('events as e', 'e.id', 'd.event_id')
    .select([
      'd.id',
      'd.project_id',
      'd.event_id',
      'd.event',
      'd.trigger',
      'd.webhook_id',
      'e.body',
    ])
    .select(areDeliveriesPaused.as('is_paused'))
    .where('d.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const webhook = await db
    .selectFrom('webhook_subscriptions')
    .select(['id', 'url', 'secret', 'secret_key_id', 'previous_secret'])
    .select(['previous_secret_key_id', 'previous_secret_until'])
    .where('id', '=', row.webhook_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return { ...row, webhook };
}

/**
 * The schedule continues unchanged, unless the receiver accepted the event. Does nothing if the delivery
 * was pruned meanwhile.
 */
export async function insertManualAttempt(
  trx: Transaction,
  deliveryId: string,
  { ended_at, timings, request_headers, response_headers, ...exchange }: Exchange,
): Promise<void> {
  const delivery = await trx
    .selectFrom('deliveries')
    .select(['project_id', 'status', 'attempt_count', 'next_attempt_at'])
    .select(['concluded_at', 'delivered_at'])
    .where('id', '=', deliveryId)
    .forUpdate()
    .executeTakeFirst();
  if (!delivery) return;
  const number = delivery.attempt_count + 1;
  const delivers = exchange.error_code === null && delivery.status !== 'delivered';
  await trx
    .insertInto('delivery_attempts')
    .values({
      ...exchange,
      delivery_id: deliveryId,
      number,
      trigger: 'manual',
      timings: JSON.stringify(timings),
      request_headers: JSON.stringify(request_headers),
      response_headers: response_headers && JSON.stringify(response_headers),
      next_attempt_at: delivers ? null : delivery.next_attempt_at,
    })
    .execute();
  await trx
    .updateTable('deliveries')
    .set({
      attempt_count: number,
      last_status_code: exchange.status_code,
      last_error_code: exchange.error_code,
      ...(delivers && {
        status: 'delivered',
        concluded_at: delivery.concluded_at ?? ended_at,
        next_attempt_at: null,
      }),
      // A delivery that the schedule delivered before a replay reopened it stays a success of the schedule.
      ...(delivers &&
        delivery.delivered_at === null && { delivered_at: ended_at, is_delivered_manually: true }),
    })
    .where('id', '=', deliveryId)
    .execute();
  await insertChanges(trx, [
    {
      project_id: delivery.project_id,
      subject: 'delivery',
      subject_id: deliveryId,
      kind: delivers ? 'delivered' : 'attempted',
    },
  ]);
}
