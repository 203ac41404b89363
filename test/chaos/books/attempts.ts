// Reads the attempts of deliveries that are recorded, and when each was recorded.
import { sql } from 'kysely';
import type { Db } from '../../../schema/database/tables.ts';
import type { StoredAttempt } from './records.ts';

/** Each attempt is recorded together with one change of its delivery, so the nth one belongs to the nth. */
export async function readAttempts(db: Db): Promise<StoredAttempt[]> {
  const { rows } = await sql<StoredAttempt>`
    with change as (
      select subject_id, created_at,
        row_number() over (partition by subject_id order by xid, id) as number
      from changes
      where subject = 'delivery' and kind in ('attempted', 'retrying', 'delivered', 'failed')
    )
    select a.delivery_id as "deliveryId", a.request_headers->>'webhook-timestamp' as timestamp,
      a.status_code as "statusCode", a.started_at as "startedAt", c.created_at as "recordedAt"
    from delivery_attempts a join change c on c.subject_id = a.delivery_id and c.number = a.number
    order by a.delivery_id, a.number`.execute(db);
  return rows;
}
