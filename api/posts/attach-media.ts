// The media of a written post: makes media of its URLs, to be fetched, and records which media it uses.
import { hurryFetches, insertFetches } from '../../schema/database/media/fetching.ts';
import { attachMedia, detachOtherMedia, idsOf } from '../../schema/database/media/uses.ts';
import { setPost, setResultMedia } from '../../schema/database/posts/changes.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { MediaItem, Transaction } from '../../schema/database/tables.ts';
import { validationError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';

/** Media of a post that are fetched from their URL. */
interface Fetch {
  id: string;
  url: string;
}

/** Gives each URL an ID. A URL that the post names several times gets the same ID everywhere. */
export function createMediaIds(): {
  withIds: (items: readonly MediaItem[]) => MediaItem[];
  /** The URLs that were given IDs so far. */
  fetches: () => Fetch[];
} {
  const ids = new Map<string, string>();
  const withId = (item: MediaItem): MediaItem => {
    if (item.id !== null) return item;
    const id = ids.get(item.url!) ?? newId('media');
    ids.set(item.url!, id);
    return { ...item, id };
  };
  return {
    withIds: (items) => items.map(withId),
    fetches: () => Array.from(ids, ([url, id]) => ({ id, url })),
  };
}

/** Whether the post or a target of its own names media. */
export const hasMedia = ({ post, results }: PostWithResults): boolean =>
  [post, ...results].some(({ media }) => media !== null && media.length > 0);

/** Throws if media were deleted since they were checked, unless the post is a draft, which may name lost media. */
export async function attachNewMedia(
  trx: Transaction,
  scope: RowScope,
  { post, results }: PostWithResults,
  fetches: Fetch[],
): Promise<void> {
  if (fetches.length > 0) await insertFetches(trx, scope, fetches);
  const ids = idsOf([post, ...results].flatMap(({ media }) => media ?? []));
  const isDraft = post.status === 'draft';
  const missing = await attachMedia(trx, post.id, ids, { keepsLost: isDraft });
  if (isDraft) return;
  await hurryFetches(trx, ids);
  if (missing.length === 0) return;
  const message = `The media were deleted: ${missing.join(', ')}.`;
  throw validationError([{ path: ['media'], code: 'media_deleted', message }]);
}

/** `attachNewMedia` for a stored post. The URLs of a draft stay URLs. */
export async function attachPostMedia(
  trx: Transaction,
  scope: RowScope,
  written: PostWithResults,
): Promise<PostWithResults> {
  if (!hasMedia(written)) return written;
  const { withIds, fetches } = createMediaIds();
  const named = written.post.status === 'draft' ? written : nameMedia(written, withIds);
  if (fetches().length > 0) await setMedia(trx, scope, named);
  await attachNewMedia(trx, scope, named, fetches());
  return named;
}

/** Detaches media that the changed post no longer has, so that they can be deleted. */
export async function detachPostMedia(
  trx: Transaction,
  { post, results }: PostWithResults,
): Promise<void> {
  const items = [post, ...results].flatMap(({ media }) => media ?? []);
  await detachOtherMedia(trx, post.id, idsOf(items));
}

function nameMedia(
  { post, results }: PostWithResults,
  withIds: (items: readonly MediaItem[]) => MediaItem[],
): PostWithResults {
  return {
    post: { ...post, media: withIds(post.media) },
    results: results.map((row) => ({ ...row, media: row.media && withIds(row.media) })),
  };
}

async function setMedia(
  trx: Transaction,
  { projectId }: RowScope,
  { post, results }: PostWithResults,
): Promise<void> {
  await setPost(trx, projectId, post.id, { media: JSON.stringify(post.media) });
  for (const { id, media } of results) {
    if (media && media.length > 0) await setResultMedia(trx, projectId, id, media);
  }
}
