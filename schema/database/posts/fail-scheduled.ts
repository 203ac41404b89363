// Fails targets of scheduled posts whose media can't be used, long before the posts are due.
import { postingErrors } from '../../posts/errors.ts';
import type { MediaRow, Transaction } from '../tables.ts';
import { lockPostAfterResults } from './changes.ts';
import { setFailed, type Failure } from './target-steps.ts';
import { mediaOf } from './targets.ts';

/** The media have failed. The posts stay scheduled, so that an update can give them other media. */
export async function failScheduledTargets(
  trx: Transaction,
  { id: mediaId, error_code, error_message }: MediaRow,
): Promise<void> {
  const errorCode = error_code === 'media_hash_mismatch' ? 'media_invalid' : error_code!;
  const { message, isRetriable, nextAction } = postingErrors[errorCode];
  const failure: Failure = {
    errorCode,
    errorMessage: error_message ?? message,
    stage: 'prepare',
    platformErrorCode: null,
    providerError: null,
    isRetriable,
    nextAction,
  };
  const posts = await trx
    .selectFrom('media_uses')
    .innerJoin('posts', 'posts.id', 'media_uses.post_id')
    .select('posts.id')
    .where('media_id', '=', mediaId)
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
        ({ id, thumbnail_id }) => id === mediaId || thumbnail_id === mediaId,
      ),
    );
    for (const row of using) await setFailed(trx, row, failure);
  }
}
