// The command `restored`: records that the database was restored from a backup.
import { insertRestore, restartRestoredPosts } from '../../schema/database/dispatch/restores.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import type { Context } from '../http/context.ts';
import type { Answer } from './output/answer.ts';

/** A second call makes Fanfare check every open post at its networks again. */
export async function restored({
  db,
  notifier,
}: Pick<Context, 'db' | 'notifier'>): Promise<Answer> {
  await insertRestore(db);
  const count = await restartRestoredPosts(db, notifier);
  const text = `Recorded the restore and restarted ${countOf(count, 'open post')}. Fanfare checks each target at its network before it sends it.`;
  return { text, data: { restarted_posts: count } };
}
