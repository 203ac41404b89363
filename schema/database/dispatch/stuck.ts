// What an operator should look at: posts and deliveries that should have moved long ago.
import { sql } from 'kysely';
import { deliverEventsWorkflowId } from '../../workflows.ts';
import { ago } from '../ago.ts';
import type { Db } from '../tables.ts';
import { isOpenRow } from '../posts/open-results.ts';
import { areDeliveriesPaused, deliveriesScope } from './pauses.ts';

export interface StuckRow {
  id: string;
  project_id: string;
  status: string;
  /** When it moved last, or should have begun to. */
  since: Date;
  /** The scopes of the pauses that hold it. */
  paused_by: string[];
  /** Null: none carries it yet. */
  workflow_id: string | null;
}

/** The oldest ones, and how many there are in all. */
export interface Stuck {
  rows: StuckRow[];
  total: number;
}

const shownAtMost = 100;

type Counted<Row> = Row & { total: number };

/** A target that waits for a time to come makes no progress and needs none. */
export async function listStuckPosts(db: Db, forMs: number): Promise<Stuck> {
  // The conditions on what waits are those of its index, word for word: here and below.
  const { rows } = await sql<Counted<StuckRow>>`
    with idle as (
      select id, project_id, status, workflow_id,
        greatest(progressed_at, scheduled_at, (
          select max(next_attempt_at) from post_results where post_id = posts.id)) as since
      from posts
      where (status = 'pending' or status = 'scheduled') and progressed_at < ${ago(forMs)}
    ), oldest as (
      select *, count(*) over ()::int as total from idle
      where since < ${ago(forMs)} order by since, id limit ${shownAtMost}
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
