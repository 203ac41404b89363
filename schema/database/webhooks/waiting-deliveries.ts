// Ends what waits for a webhook that takes no more.
import { sql } from 'kysely';
import type { Transaction } from '../tables.ts';

/**
 * What waits beyond this many is ended when its batch comes to it: the webhook's row is locked
 * meanwhile, and the recording of every webhook's attempts may wait for it.
 */
const concludedAtOnce = 2_000;

/**
 * `skipped`: the webhook was disabled, which no test event minds. `canceled`: it is deleted. Rows that
 * somebody else holds are passed over, since who records attempts locks deliveries before webhooks.
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
    insert into changes (project_id, subject, subject_id, kind)
    select project_id, 'delivery', id, ${status} from concluded`.execute(trx);
}
