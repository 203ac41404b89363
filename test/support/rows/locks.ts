// Locks that another transaction holds on rows.
import type { Db } from '../../../schema/database/tables.ts';

/** Holds a lock on the post until it is disposed of. */
export async function lockPost(db: Db, postId: string): Promise<AsyncDisposable> {
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = db.transaction().execute(async (trx) => {
    await trx.selectFrom('posts').select('id').where('id', '=', postId).forUpdate().execute();
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  return {
    async [Symbol.asyncDispose]() {
      release.resolve();
      await holding;
    },
  };
}
