// Posts whose targets a pause has stopped and none holds any more: each gets a new run.
import type { Db } from '../tables.ts';
import { isOpenRow } from '../posts/open-results.ts';
import { isUnderPause } from './pauses.ts';
import { restartPost } from './sweeping.ts';

const postsAtOnce = 100;

/**
 * Yields how many it has started after each batch, so that the caller can tell the relay. It may be
 * broken off at any time, and several may be at it: a post is started by one of them.
 */
export async function* resumePosts(db: Db): AsyncGenerator<number> {
  let after = '';
  for (;;) {
    const posts = await listResumablePosts(db, after);
    let started = 0;
    for (const { id, workflow_id } of posts) {
      if (await restartPost(db, id, workflow_id)) started++;
    }
    if (started > 0) yield started;
    if (posts.length < postsAtOnce) return;
    after = posts.at(-1)!.id;
  }
}

/**
 * In the order of their ids, those after `after`; without those that have a call of another target
 * under way, whose outcome a new run would ask the network for: the next sweep is soon enough.
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
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('post_results as other')
            .select('other.id')
            .whereRef('other.post_id', '=', 'posts.id')
            .where('other.status', '=', 'publishing')
            .where('other.phase_state', '=', 'begun')
            .where('other.is_paused', '=', false),
        ),
      ),
    )
    .orderBy('posts.id')
    .limit(postsAtOnce)
    .execute();
}
