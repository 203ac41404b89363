// For operators: late posts and deliveries, and the number of waiting deliveries.
import { sql } from 'kysely';
import { deliverEventsWorkflowId } from '../../workflows.ts';
import { ago } from '../database-clock.ts';
import type { Db } from '../tables.ts';
import { isOpenRow } from '../posts/targets.ts';
import { areDeliveriesPaused, deliveriesScope } from '../pauses.ts';

export interface StuckRow {
  id: string;
  project_id: string;
  status: string;
  /** When the post or delivery was due. */
  since: Date;
  /** Scopes of the pauses that hold the post or delivery. */
  paused_by: string[];
  /** Null: no workflow has been started. */
  workflow_id: string | null;
}

/** The oldest rows, and the total number. */
export interface Stuck {
  rows: StuckRow[];
  total: number;
}

const shownAtMost = 100;

type Counted<Row> = Row & { total: number };

/** Posts that have been due for at least `forMs` and have not ended, in the order of their due times. */
export async function listStuckPosts(db: Db, forMs: number): Promise<Stuck> {
  // The conditions of this query and of the queries below must match the conditions of the partial indexes
  // word for word.
  const { rows } = await sql<Counted<StuckRow>>`
    with oldest as (
      select id, project_id, status, workflow_id, run_due_at as since,
        count(*) over ()::int as total
      from posts
      where (status = 'pending' or status = 'scheduled') and run_due_at < ${ago(forMs)}
      order by run_due_at, id limit ${shownAtMost}
    )
    select *, array(
      select scope from sending_pauses where exists (
        select from post_results
        where post_id = oldest.id and ${isOpenRow('post_results')}
          and scope in (platform, post_results.project_id))
      order by scope) as paused_by
    from oldest order by since, id`.execute(db);
  return toStuck(rows);
}

export async function listStuckDeliveries(db: Db, forMs: number): Promise<Stuck> {
  const { rows } = await sql<
    Counted<Omit<StuckRow, 'paused_by' | 'workflow_id'>> & {
      batch_id: string | null;
      is_paused: boolean;
    }
  >`
    select id, project_id, status, next_attempt_at as since, batch_id,
      ${areDeliveriesPaused} as is_paused, count(*) over ()::int as total
    from deliveries
    where (status = 'pending' or status = 'retrying') and next_attempt_at < ${ago(forMs)}
    order by next_attempt_at, id limit ${shownAtMost}`.execute(db);
  return toStuck(
    rows.map(({ batch_id, is_paused, ...row }) => ({
      ...row,
      paused_by: is_paused ? [deliveriesScope] : [],
      workflow_id: batch_id && deliverEventsWorkflowId(batch_id),
    })),
  );
}

function toStuck(rows: Counted<StuckRow>[]): Stuck {
  return { rows, total: rows[0]?.total ?? 0 };
}

export interface DeliveryBacklog {
  /** Not attempted yet. */
  pending: number;
  /** Between two attempts, or due for the next attempt. */
  retrying: number;
  /** How long the oldest due delivery has been due; 0: no delivery is due. */
  overdueS: number;
}

export async function readDeliveryBacklog(db: Db): Promise<DeliveryBacklog> {
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
