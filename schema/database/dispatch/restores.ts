// Records that the database was restored, and gives the open posts of the restored state new runs.
import { sql } from 'kysely';
import type { Notifier } from '../notifier.ts';
import type { Db } from '../tables.ts';
import { restartPost } from './sweeping.ts';

const postsAtOnce = 100;

/**
 * Also ends the cursors of the live feed, because some of them point to changes that the restore has removed.
 */
export async function insertRestore(db: Db): Promise<void> {
  await sql`
    with restore as (
      insert into restores (restored_at) values (now())
      on conflict (id) do update set restored_at = now()
    )
    update feed_epoch
    set epoch = substr(md5(random()::text || clock_timestamp()::text), 1, 8)`.execute(db);
}

/**
 * Gives every open post of the restored state a new run, since the workflow named in its row may have ended
 * long ago. Returns the number of posts.
 */
export async function restartRestoredPosts(db: Db, notifier: Notifier): Promise<number> {
  let total = 0;
  for (;;) {
    const posts = await listRestoredPosts(db);
    let started = 0;
    for (const { id, workflow_id } of posts) {
      if (await restartPost(db, notifier, id, workflow_id)) started++;
    }
    if (started === 0) return total;
    total += started;
  }
}

/** Open posts without progress since the restore. A restart counts as progress. */
export function listRestoredPosts(db: Db): Promise<{ id: string; workflow_id: string | null }[]> {
  return (
    db
      .selectFrom('posts')
      .select(['id', 'workflow_id'])
      // Not parameters, because Postgres must recognize the condition of the index.
      .where(sql<boolean>`(status = 'pending' or status = 'scheduled')`)
      .where('progressed_at', '<', (eb) => eb.selectFrom('restores').select('restored_at'))
      .orderBy('progressed_at')
      .limit(postsAtOnce)
      .execute()
  );
}
