// Records that the database was restored, and gives the open posts of the restored state new runs.
import { sql } from 'kysely';
import type { Db } from '../tables.ts';
import { restartPost } from './sweeping.ts';

const postsAtOnce = 100;

/** Also ends the cursors of the live feed, since some point into the lost state. */
export async function insertRestore(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into restores (restored_at) values (now())
      on conflict (id) do update set restored_at = now()`.execute(trx);
    await sql`
      update feed_epoch
      set epoch = substr(md5(random()::text || clock_timestamp()::text), 1, 8)`.execute(trx);
  });
}

/**
 * Gives every open post of the restored state a new run: the workflow that its row names may have ended
 * long ago. Yields how many after each batch, so that the caller can notify the relay.
 */
export async function* restartRestoredPosts(db: Db): AsyncGenerator<number> {
  for (;;) {
    const posts = await listRestoredPosts(db);
    let started = 0;
    for (const { id, workflow_id } of posts) {
      if (await restartPost(db, id, workflow_id)) started++;
    }
    if (started === 0) return;
    yield started;
  }
}

/** Open posts that have not moved since the restore. A restart moves them. */
export function listRestoredPosts(db: Db): Promise<{ id: string; workflow_id: string | null }[]> {
  return (
    db
      .selectFrom('posts')
      .select(['id', 'workflow_id'])
      // Not as parameters: the index on unfinished posts has these words.
      .where(sql<boolean>`(status = 'pending' or status = 'scheduled')`)
      .where('progressed_at', '<', (eb) => eb.selectFrom('restores').select('restored_at'))
      .orderBy('progressed_at')
      .limit(postsAtOnce)
      .execute()
  );
}
