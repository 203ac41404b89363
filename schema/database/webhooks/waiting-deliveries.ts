// Ends the deliveries that wait for a disabled or deleted webhook.
import { sql } from 'kysely';
import { insertionOf } from '../live/changes.ts';
import type { Transaction } from '../tables.ts';

/**
 * The remaining deliveries end in their batches. The webhook's row is locked meanwhile, and the recording
 * of all webhooks' attempts may wait for that lock.
 */
const concludedAtOnce = 2_000;

/**
 * `skipped`: the webhook was disabled; its test events are still sent. `canceled`: the webhook was
 * deleted. Skips locked rows, since the recorder locks deliveries before webhooks.
 */
export async function concludeWaiting(
  trx: Transaction,
  webhookId: string,
  status: 'skipped' | 'canceled',
  limit = concludedAtOnce,
): Promise<void> {
  await sql`
    with waiting as materialized (
      select id from deliveries
      where webhook_id = ${webhookId} and (status = 'pending' or status = 'retrying')
        ${status === 'skipped' ? sql`and trigger <> 'test'` : sql``}
      limit ${limit}
      for update skip locked
    ), concluded as (
      update deliveries d set status = ${status}, concluded_at = now(), next_attempt_at = null
      from waiting where d.id = waiting.id
      returning d.id, d.project_id
    )
    ${insertionOf(trx, { subject: 'delivery', kind: status, from: sql`concluded` })}`.execute(trx);
}
