// The command `restored`: records that the database was restored from a backup.
import type { Db } from '../../schema/database/tables.ts';
import { notify } from '../../schema/database/live/notifier.ts';
import { insertRestore, restartRestoredPosts } from '../../schema/database/dispatch/restores.ts';

/** May be repeated: each time, every open post is checked at its networks once more. */
export async function restored(db: Db): Promise<string> {
  await insertRestore(db);
  let count = 0;
  for await (const started of restartRestoredPosts(db)) {
    count += started;
    await notify(db, 'fanfare_outbox');
  }
  const posts = count === 1 ? '1 open post' : `${count} open posts`;
  return `Noted. ${posts} got a new workflow. Fanfare checks the network of each target before it sends it.`;
}
