// Queries on the attempts of targets: their calls to the network.
import type { Db, PostAttemptRow } from '../tables.ts';
import { listPages } from '../listing.ts';

/** A page of attempts for each of these results. */
export function listPostAttempts(
  db: Db,
  projectId: string,
  resultIds: string[],
  slice: { limit: number; before?: number | undefined },
): Promise<(PostAttemptRow & { parent_id: string })[]> {
  const rows = db
    .selectFrom('post_attempts')
    .innerJoin('post_results', 'post_results.id', 'post_attempts.result_id')
    .selectAll('post_attempts')
    .where('post_results.project_id', '=', projectId);
  const order = { parent: 'result_id', by: ['post_attempts', 'number'] } as const;
  return listPages(db, rows, resultIds, order, slice);
}
