// Gives a new run to posts whose targets stopped at a pause that has ended.
import { sql } from 'kysely';
import type { Notifier } from '../notifier.ts';
import type { Db } from '../tables.ts';
import { isOpenRow } from '../posts/targets.ts';
import { isUnderPause } from '../pauses.ts';
import { restartPost } from './sweeping.ts';

const postsAtOnce = 100;

/**
 * After each batch, yields the number of posts that were started. The caller may stop at any time. If several
 * processes call it at once, each post is started by only one of them.
 */
export async function* resumePosts(db: Db, notifier: Notifier): AsyncGenerator<number> {
  let after = '';
  for (;;) {
    const posts = await listResumablePosts(db, after);
    let started = 0;
    for (const { id, workflow_id } of posts) {
      if (await restartPost(db, notifier, id, workflow_id)) started++;
    }
    if (started > 0) yield started;
    if (posts.length < postsAtOnce) return;
    after = posts.at(-1)!.id;
  }
}

/**
 * Lists posts with ids after `after`, in id order. Skips a post while another of its targets has a call
 * in flight, since a new run would ask the network for the outcome. The next sweep resumes such a post.
 */
export function listResumablePosts(
  db: Db,
  after: string,
): Promise<{ id: string; workflow_id: string | null }[]> {
  return db
    .selectFrom('post_results')
    .innerJoin('posts', 'posts.id', 'post_results.post_id')
    .select(['posts.id', 'posts.workflow_id'])
    .distinct()
    .where('post_results.is_paused', '=', true)
    .where(isOpenRow('post_results'))
    .where('posts.status', 'in', ['pending', 'scheduled'])
    .where('post_results.post_id', '>', after)
    .where((eb) => eb.not(isUnderPause('post_results')))
    .where(
      sql<boolean>`not exists (
        select from post_results as other where other.post_id = posts.id
          and other.status = 'publishing' and other.phase_state = 'begun' and not other.is_paused)`,
    )
    .orderBy('posts.id')
    .limit(postsAtOnce)
    .execute();
}
