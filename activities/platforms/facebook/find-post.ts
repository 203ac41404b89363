// Finds a post after an unknown outcome. The ID of a video or of an unpublished photo proves that a post is
// the target. An equal text only suggests that.
import { z } from 'zod';
import { earliestOf, toComparable } from '../lost-posts.ts';
import { GraphId } from '../meta/ids.ts';
import { readList, Timestamp } from '../meta/lists.ts';
import { hasCode, notForGood, PlatformError } from '../platform-error.ts';
import type { CommitOutcome, ReconcileOutcome, Target } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { network, type PageApi } from './api.ts';
import { placementOfTarget, readPrepared } from './media.ts';
import { readVideoStatus } from './video-status.ts';

const Attached = z.object({
  type: z.string().optional(),
  target: z.object({ id: GraphId.optional().catch(undefined) }).optional(),
});
/** @see https://developers.facebook.com/docs/graph-api/reference/page-post */
const ListedPost = z.object({
  id: z.string(),
  message: z.string().default(''),
  created_time: Timestamp,
  attachments: z
    .object({
      data: z.array(
        Attached.extend({ subattachments: z.object({ data: z.array(Attached) }).optional() }),
      ),
    })
    .optional(),
});
type ListedPost = z.infer<typeof ListedPost>;

/** @see https://developers.facebook.com/docs/pages-api/comments-mentions */
const ListedComment = z.object({
  id: z.string(),
  message: z.string().default(''),
  created_time: Timestamp,
  from: z.object({ id: GraphId }).optional(),
});

/** @see https://developers.facebook.com/docs/page-stories-api */
const ListedStory = z.object({
  post_id: GraphId,
  media_id: GraphId,
  url: z.string().optional(),
});

/** @see https://developers.facebook.com/docs/video-api/guides/reels-publishing */
const ListedReel = z.object({ id: GraphId, description: z.string().default('') });

/** A post or a comment. https://developers.facebook.com/docs/pages-api/posts */
export const toPublished = (id: string) =>
  publishedAs(id, `https://www.facebook.com/${id}`, 'public');

const toPublishedReel = (id: string) =>
  publishedAs(id, `https://www.facebook.com/reel/${id}`, 'public');

const toPublishedStory = (id: string | null, url: string | null) => publishedAs(id, url, 'public');

export async function findPost(api: PageApi, target: Target): Promise<ReconcileOutcome> {
  const { replyTo, state } = target;
  if (replyTo !== null) return findComment(api, target, replyTo);
  const { photos, video } = readPrepared(state);
  const placement = placementOfTarget(target);
  if (video) {
    const found = await findVideo(api, target, video.id);
    if (found) return found;
  }
  switch (placement) {
    case 'feed':
      return findInFeed(api, target, photos);
    case 'reel':
      return findReel(api, target);
    case 'story':
      return findStory(api, target, photos[0]);
  }
}

/** Whether the video is public by now. */
export async function confirmVideo(api: PageApi, target: Target): Promise<CommitOutcome> {
  const { video, postId } = readPrepared(target.state);
  if (!video) throw new PlatformError('unavailable', 'The ID of the video is lost.');
  const status = await readVideoStatus(api, video.id).catch(notForGood);
  if (status.failure) throw status.failure;
  if (!status.isPublic) return { outcome: 'accepted', state: target.state };
  return toPublishedVideo(api, target, video.id, postId);
}

function toPublishedVideo(api: PageApi, target: Target, id: string, postId?: string) {
  switch (placementOfTarget(target)) {
    case 'feed':
      return toPublished(id);
    case 'reel':
      return toPublishedReel(id);
    case 'story':
      return findStoryOf(api, target, id, postId);
  }
}

/** Finds the public story with this photo or video. Only the list of stories has its URL. `postId`: undefined if unknown. */
export async function findStoryOf(
  api: PageApi,
  target: Target,
  mediaId: string,
  postId: string | undefined,
) {
  const { stories } = await listStories(api, target).catch(withoutStories);
  const found = stories.find(({ media_id }) => media_id === mediaId);
  return toPublishedStory(postId ?? found?.post_id ?? null, found?.url ?? null);
}

/** Ignores the error, because the story is public anyway. */
function withoutStories(error: unknown): { stories: z.infer<typeof ListedStory>[] } {
  if (error instanceof PlatformError) return { stories: [] };
  throw error;
}

/** Undefined: Facebook doesn't know the video, so only lists of posts can show the post. */
async function findVideo(
  api: PageApi,
  target: Target,
  id: string,
): Promise<ReconcileOutcome | undefined> {
  const status = await readVideoStatus(api, id).catch((error: unknown) => {
    if (hasCode(error, '100/33')) return undefined;
    throw error;
  });
  if (!status) return undefined;
  if (status.isPublic) return toPublishedVideo(api, target, id);
  if (status.failure || !status.isPending) return { outcome: 'absent' };
  throw new PlatformError('unavailable', `${network} is still processing the video.`);
}

/**
 * Searches the page's posts since the target was due. Begins with the oldest, because an equal post by a
 * person comes later. An equal post with other photos proves nothing, since no document says that a photo
 * keeps its ID.
 */
async function findInFeed(
  api: PageApi,
  target: Target,
  photos: readonly string[],
): Promise<ReconcileOutcome> {
  const fields = 'id,message,created_time,attachments{type,target,subattachments{type,target}}';
  const path = `/${api.page}/published_posts`;
  const { items, isComplete } = await listSince(api, path, ListedPost, target, { fields });
  const recent = items.filter(({ created_time }) => isRecent(created_time, target)).toReversed();
  const found = recent.find((post) => isSame(post, target, photos));
  if (found) return toPublished(found.id);
  const isAbsent = isComplete && !recent.some((post) => isEqual(post, target, photos));
  return { outcome: isAbsent ? 'absent' : 'unknown' };
}

/** Compares the photos. If their IDs are unknown, compares the text and the number of attachments. */
function isSame(post: ListedPost, target: Target, photos: readonly string[]): boolean {
  const ids = attachmentsOf(post).flatMap(({ target }) => target?.id ?? []);
  // The target of a search has no media if the media can't be read.
  const isKnown = photos.length > 0 && photos.length >= target.media.length;
  if (isKnown && ids.length > 0) return ids.some((id) => photos.includes(id));
  return isEqual(post, target, photos);
}

function isEqual(post: ListedPost, { caption, media }: Target, photos: readonly string[]): boolean {
  // A link gets a preview, which also counts as an attachment.
  const files = attachmentsOf(post).filter(({ type = '' }) => /photo|video/.test(type));
  const count = Math.max(media.length, photos.length);
  return toComparable(post.message) === toComparable(caption) && files.length === count;
}

const attachmentsOf = ({ attachments }: ListedPost) =>
  (attachments?.data ?? []).flatMap(({ subattachments, ...attachment }) =>
    subattachments ? subattachments.data : [attachment],
  );

async function findComment(
  api: PageApi,
  target: Target,
  replyTo: string,
): Promise<ReconcileOutcome> {
  const query = { fields: 'id,message,created_time,from', order: 'reverse_chronological' };
  const path = `/${replyTo}/comments`;
  const { items, isComplete } = await listSince(api, path, ListedComment, target, query);
  const found = items
    .toReversed()
    .find(
      ({ message, created_time, from }) =>
        (from?.id ?? api.page) === api.page &&
        isRecent(created_time, target) &&
        toComparable(message) === toComparable(target.caption),
    );
  if (found) return toPublished(found.id);
  return { outcome: isComplete ? 'absent' : 'unknown' };
}

/** Finds a reel without the ID of its video. */
async function findReel(api: PageApi, target: Target): Promise<ReconcileOutcome> {
  const path = `/${api.page}/video_reels`;
  const query = { fields: 'id,description' };
  const { items, isComplete } = await listSince(api, path, ListedReel, target, query);
  const [found, ...others] = items.filter(
    ({ description }) => toComparable(description) === toComparable(target.caption),
  );
  if (!found) return { outcome: isComplete ? 'absent' : 'unknown' };
  return others.length === 0 && target.caption.trim() !== ''
    ? toPublishedReel(found.id)
    : { outcome: 'unknown' };
}

/** `photo`: undefined if its ID is lost. Stories have no text, so only the photo distinguishes them. */
async function findStory(
  api: PageApi,
  target: Target,
  photo: string | undefined,
): Promise<ReconcileOutcome> {
  const { stories, isComplete } = await listStories(api, target);
  const found = stories.find(({ media_id }) => media_id === photo);
  if (found) return toPublishedStory(found.post_id, found.url ?? null);
  const isSure = isComplete && (photo !== undefined || stories.length === 0);
  return { outcome: isSure ? 'absent' : 'unknown' };
}

async function listStories(api: PageApi, target: Target) {
  const path = `/${api.page}/stories`;
  const { items, isComplete } = await listSince(api, path, ListedStory, target, {});
  return { stories: items, isComplete };
}

/** Newest first. */
function listSince<T>(
  { graph }: PageApi,
  path: string,
  item: z.ZodType<T>,
  target: Target,
  query: Record<string, string>,
) {
  const since = String(Math.floor(earliestOf(target) / 1_000));
  return readList(graph, path, item, { query: { ...query, since } });
}

const isRecent = (time: string, target: Target) => Date.parse(time) >= earliestOf(target);
