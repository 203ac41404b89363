// Locks that another transaction holds on rows.
import type { Db } from '../../../schema/database/tables.ts';

/** Locks these rows. The returned function releases them. */
export async function lockRows(
  db: Db,
  table: 'posts' | 'post_results' | 'result_changes',
  ids: string[],
): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = db.transaction().execute(async (trx) => {
    await trx.selectFrom(table).select('id').where('id', 'in', ids).forUpdate().execute();
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  return () => {
    release.resolve();
    return holding;
  };
}

/** Locks the post until the returned object is disposed of. */
export async function lockPost(db: Db, postId: string): Promise<AsyncDisposable> {
  return { [Symbol.asyncDispose]: await lockRows(db, 'posts', [postId]) };
}
