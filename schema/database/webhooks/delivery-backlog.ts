// How much waits to be delivered, over all projects, for the operator.
import { sql } from 'kysely';
import type { Db } from '../tables.ts';

export interface DeliveryBacklog {
  /** Not attempted yet. */
  pending: number;
  /** Between two attempts, or due for the next. */
  retrying: number;
  /** How long the one due longest has been due; 0 when none is. */
  overdueS: number;
}

export async function readDeliveryBacklog(db: Db): Promise<DeliveryBacklog> {
  // The condition is that of the index on what waits, word for word.
  const { rows } = await sql<DeliveryBacklog>`
    select
      (count(*) filter (where status = 'pending'))::int as pending,
      (count(*) filter (where status = 'retrying'))::int as retrying,
      coalesce(greatest(extract(epoch from now() - min(next_attempt_at)), 0), 0)::float8
        as "overdueS"
    from deliveries
    where status = 'pending' or status = 'retrying'`.execute(db);
  return rows[0]!;
}
