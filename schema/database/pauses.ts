// The operator's pauses: of sending to a network, of sending for a project, and of all deliveries.
import { sql } from 'kysely';
import type { Db } from './tables.ts';

/**
 * The scope of the pause that holds all deliveries. Any other scope is a network's name or a project's ID.
 */
export const deliveriesScope = 'deliveries';

/** Whether deliveries are paused, as an SQL condition. */
export const areDeliveriesPaused = sql<boolean>`exists (
  select from sending_pauses where scope = ${sql.lit(deliveriesScope)})`;

/** Whether the network or the project of a target is paused, as an SQL condition on `post_results` or its alias. */
export function isUnderPause(results: string) {
  return sql<boolean>`exists (
    select from sending_pauses
    where scope in (${sql.ref(`${results}.platform`)}, ${sql.ref(`${results}.project_id`)}))`;
}

/** False: the scope was paused already. */
export async function insertPause(db: Db, scope: string): Promise<boolean> {
  const inserted = await db
    .insertInto('sending_pauses')
    .values({ scope })
    .onConflict((conflict) => conflict.doNothing())
    .returning('scope')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** False: the scope was not paused. */
export async function deletePause(db: Db, scope: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('sending_pauses')
    .where('scope', '=', scope)
    .returning('scope')
    .executeTakeFirst();
  return deleted !== undefined;
}

export function listPauses(db: Db): Promise<{ scope: string; created_at: Date }[]> {
  return db.selectFrom('sending_pauses').selectAll().orderBy('scope').execute();
}
