// Fails targets of scheduled posts whose media can't be used, long before the posts are due.
import type { MediaRow, Transaction } from '../tables.ts';
import { lockPostAfterResults } from './changes.ts';
import { failureOf, setFailed } from './target-steps.ts';
import { mediaFailureOf, mediaOf } from './targets.ts';

/**
 * Fails the targets that use these failed media. The posts stay scheduled, so that an update can give them
 * other media.
 */
export async function failScheduledTargets(trx: Transaction, media: MediaRow): Promise<void> {
  const { code, message } = mediaFailureOf(media);
  const failure = failureOf(code, 'prepare', message);
  const posts = await trx
    .selectFrom('media_uses')
    .innerJoin('posts', 'posts.id', 'media_uses.post_id')
    .select('posts.id')
    .where('media_id', '=', media.id)
    .where('posts.status', '=', 'scheduled')
    .orderBy('posts.id')
    .execute();
  for (const { id } of posts) {
    const post = await lockPostAfterResults(trx, id);
    if (post?.status !== 'scheduled') continue;
    const rows = await trx
      .selectFrom('post_results')
      .selectAll()
      .where('post_id', '=', id)
      .where('status', '=', 'pending')
      .orderBy('position')
      .execute();
    const using = rows.filter((row) =>
      mediaOf({ media: row.media, post_media: post.media }).some(
        ({ id, thumbnail_id }) => id === media.id || thumbnail_id === media.id,
      ),
    );
    for (const row of using) await setFailed(trx, row, failure);
  }
}
