// Ends waiting deliveries whose webhook was disabled or deleted.
import { sql, type RawBuilder } from 'kysely';
import { insertionOf } from '../live/changes.ts';
import type { Notifier } from '../notifier.ts';
import type { Db, Transaction, Writer } from '../tables.ts';
import { inStatement } from '../transaction.ts';

/** `skipped`: the webhook was disabled; its test events are still sent. `canceled`: it was deleted. */
type Ending = 'skipped' | 'canceled';

const isWaiting = sql`(status = 'pending' or status = 'retrying')`;

/**
 * How many deliveries end while the webhook's row is locked. The recording of all webhooks' attempts may wait
 * for that lock, so the remaining deliveries end later, in their batches.
 */
const concludedAtOnce = 2_000;

/**
 * Ends waiting deliveries of a webhook that `trx` has locked. Skips locked deliveries, because the recorder
 * locks deliveries before webhooks.
 */
export function concludeWaiting(
  trx: Transaction,
  webhookId: string,
  status: Ending,
  limit = concludedAtOnce,
): Promise<void> {
  const isEnded = sql`id = any (array(
    select id from deliveries
    where webhook_id = ${webhookId} and ${isWaiting}
      ${status === 'skipped' ? sql`and trigger <> 'test'` : sql``}
    limit ${limit}
    for update skip locked))`;
  return conclude(trx, status, isEnded);
}

/** Ends deliveries of a batch that will not be sent. */
export async function concludeUnsent(
  db: Db,
  notifier: Notifier,
  batchId: string,
  deliveries: { id: string }[],
  status: Ending,
): Promise<void> {
  if (deliveries.length === 0) return;
  const isEnded = sql`id = any (${deliveries.map(({ id }) => id)}::text[])
    and batch_id = ${batchId} and ${isWaiting}`;
  await inStatement(db, notifier, (writer) => conclude(writer, status, isEnded));
}

async function conclude(writer: Writer, status: Ending, isEnded: RawBuilder<unknown>) {
  const statement = sql`
    with concluded as (
      update deliveries set status = ${status}, concluded_at = now(), next_attempt_at = null
      where ${isEnded}
      returning id, project_id
    )
    ${insertionOf(writer, { subject: 'delivery', kind: status, from: sql`concluded` })}`;
  await statement.execute(writer);
}
