// The calls to the network of targets, in Postgres.
import type { Db, PostAttemptRow } from '../tables.ts';
import { parentRows } from '../parent-rows.ts';

/** A page for each of these results, which were found for their project already. */
export async function listPostAttempts(
  db: Db,
  resultIds: string[],
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<(PostAttemptRow & { parent_id: string })[]> {
  return db
    .selectFrom(parentRows(resultIds))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('post_attempts')
          .selectAll('post_attempts')
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
