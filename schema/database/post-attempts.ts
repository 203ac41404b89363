// The calls to the network of targets, in Postgres.
import type { Db, PostAttemptRow } from './database.ts';
import { parentRows } from './parent-rows.ts';

/** Of each of these results of the project: newest first; those with numbers below `before`. */
export async function listPostAttempts(
  db: Db,
  projectId: string,
  resultIds: string[],
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<(PostAttemptRow & { parent_id: string })[]> {
  return db
    .selectFrom(parentRows(resultIds))
    .innerJoin('post_results as r', 'r.id', 'parent.id')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('post_attempts')
          .selectAll('post_attempts')
          .whereRef('result_id', '=', 'r.id')
          .$if(before !== undefined, (query) => query.where('number', '<', before!))
          .orderBy('number', 'desc')
          .limit(limit)
          .as('page'),
      (join) => join.onTrue(),
    )
    .selectAll('page')
    .select('r.id as parent_id')
    .where('r.project_id', '=', projectId)
    .orderBy('page.number', 'desc')
    .execute();
}
