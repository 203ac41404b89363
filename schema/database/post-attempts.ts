// The calls to the network of one target, in Postgres.
import type { Db, PostAttemptRow } from './database.ts';

/** Newest first; those with numbers below `before`. */
export async function listPostAttempts(
  db: Db,
  resultId: string,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<PostAttemptRow[]> {
  let query = db.selectFrom('post_attempts').selectAll().where('result_id', '=', resultId);
  if (before !== undefined) query = query.where('number', '<', before);
  return query.orderBy('number', 'desc').limit(limit).execute();
}
