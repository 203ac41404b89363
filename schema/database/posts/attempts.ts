// Queries on the attempts of targets: their calls to the network.
import type { Db, PostAttemptRow } from '../tables.ts';
import { parentRows } from '../listing.ts';

/** A page of attempts for each of these results. */
export async function listPostAttempts(
  db: Db,
  projectId: string,
  resultIds: string[],
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<(PostAttemptRow & { parent_id: string })[]> {
  return db
    .selectFrom(parentRows(resultIds))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('post_attempts')
          .innerJoin('post_results', 'post_results.id', 'post_attempts.result_id')
          .selectAll('post_attempts')
          .where('post_results.project_id', '=', projectId)
          .whereRef('result_id', '=', 'parent.id')
          .$if(before !== undefined, (query) => query.where('number', '<', before!))
          .orderBy('number', 'desc')
          .limit(limit)
          .as('page'),
      (join) => join.onTrue(),
    )
    .selectAll('page')
    .select('parent.id as parent_id')
    .orderBy('page.number', 'desc')
    .execute();
}
