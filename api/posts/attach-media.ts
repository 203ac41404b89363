// The media of a written post: makes media of its URLs, to be fetched, and records which media it uses.
import { hurryFetches, insertFetches } from '../../schema/database/media/fetching.ts';
import { attachMedia, detachOtherMedia, idsOf } from '../../schema/database/media/uses.ts';
import { setPost, setResultMedia } from '../../schema/database/posts/changes.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { MediaItem, Transaction } from '../../schema/database/tables.ts';
import { validationError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';

/** The URLs of a draft stay URLs. Throws if media were deleted since they were checked. */
export async function attachPostMedia(
  trx: Transaction,
  scope: RowScope,
  written: PostWithResults,
): Promise<PostWithResults> {
  const { post, results } = written;
  if ([post, ...results].every(({ media }) => !media || media.length === 0)) return written;
  const withIds = post.status === 'draft' ? written : await fetchUrls(trx, scope, written);
  const items = [withIds.post, ...withIds.results].flatMap(({ media }) => media ?? []);
  const ids = idsOf(items);
  const missing = await attachMedia(trx, post.id, ids);
  if (post.status !== 'draft') await hurryFetches(trx, ids);
  if (missing.length === 0) return withIds;
  const message = `The media were deleted: ${missing.join(', ')}.`;
  throw validationError([{ path: ['media'], code: 'media_deleted', message }]);
}

/** Detaches media that the changed post no longer has, so that they can be deleted. */
export async function detachPostMedia(
  trx: Transaction,
  { post, results }: PostWithResults,
): Promise<void> {
  const items = [post, ...results].flatMap(({ media }) => media ?? []);
  await detachOtherMedia(trx, post.id, idsOf(items));
}

/** Gives each URL an ID. A URL that the post names several times gets the same ID everywhere. */
async function fetchUrls(
  trx: Transaction,
  scope: RowScope,
  { post, results }: PostWithResults,
): Promise<PostWithResults> {
  const ids = new Map<string, string>();
  const withId = (item: MediaItem): MediaItem => {
    if (item.id !== null) return item;
    const id = ids.get(item.url!) ?? newId('media');
    ids.set(item.url!, id);
    return { ...item, id };
  };
  const withIds = {
    post: { ...post, media: post.media.map(withId) },
    results: results.map((row) => ({ ...row, media: row.media && row.media.map(withId) })),
  };
  if (ids.size === 0) return withIds;
  await setPost(trx, scope.projectId, post.id, { media: JSON.stringify(withIds.post.media) });
  for (const { id, media } of withIds.results) {
    if (media && media.length > 0) await setResultMedia(trx, scope.projectId, id, media);
  }
  await insertFetches(
    trx,
    scope,
    [...ids].map(([url, id]) => ({ id, url })),
  );
  return withIds;
}
