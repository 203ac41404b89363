// Reads from a stored post: its state, its first comments, and its content as a request.
import { findFirstComment } from '../../schema/database/posts/targets.ts';
import type { MediaItem, PostResultRow, PostRow } from '../../schema/database/tables.ts';
import { findLinkThumb, withLinkThumb } from '../../schema/platforms/options/link-thumb.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { PlatformPost, PostMediaInput, PostStatus } from '../../schema/posts/posts.ts';
import type { TargetInput } from './checks/request-targets.ts';
import { AppError } from '../../schema/wire/errors.ts';

type StoredContent = Omit<TargetInput, 'account_ids'>;

/** The post as a request, so that it is checked like a new one. Its targets are always `platform_posts`. */
export function toTargetInput({ post, results }: PostWithResults): StoredContent {
  return {
    caption: post.caption,
    media: toMediaInputs(post.media),
    auto_fit: post.auto_fit,
    platform_posts: listTargetRows(results).map((result) =>
      toPlatformPost(result, findFirstComment(results, result.id)),
    ),
  };
}

/** The rows of targets, in the order of the request, without first comments. */
export function listTargetRows<Row extends PostResultRow>(results: readonly Row[]): Row[] {
  return results.filter(({ kind }) => kind === 'post');
}

/**
 * The defaults that the targets got when the post left draft. Null: the post is a draft, whose targets get
 * defaults later.
 */
export function listCopiedDefaults({ results }: PostWithResults) {
  return listTargetRows(results).map((row) => row.default_options);
}

function toPlatformPost(result: PostResultRow, comment: PostResultRow | undefined): PlatformPost {
  return {
    account_id: result.social_account_id,
    caption: result.caption ?? undefined,
    thread_position: result.thread_position ?? undefined,
    in_reply_to: result.in_reply_to ?? undefined,
    first_comment: comment?.caption ?? undefined,
    ...toOwnMedia(result),
  };
}

/**
 * A link thumb is stored both in the options and in the target's media. A request names it only in the
 * options.
 */
function toOwnMedia({
  media,
  platform_options: options,
}: PostResultRow): Pick<PlatformPost, 'media' | 'platform_options'> {
  if (!findLinkThumb(options)) {
    return { media: media ? toMediaInputs(media) : undefined, platform_options: options };
  }
  return { media: [], platform_options: withLinkThumb(options, toReference(media![0]!)) };
}

function toMediaInputs(items: readonly MediaItem[]): PostMediaInput[] {
  return items.map(({ alt_text, thumbnail_id, thumbnail_at_ms, ...item }) => ({
    ...toReference(item),
    ...(alt_text !== null && { alt_text }),
    ...(thumbnail_id !== null && { thumbnail_id }),
    ...(thumbnail_at_ms !== null && { thumbnail_at_ms }),
  }));
}

/** Fetched media are named by their ID. */
function toReference({ id, url }: Pick<MediaItem, 'id' | 'url'>): { id: string } | { url: string } {
  return id === null ? { url: url! } : { id };
}

const stateWords: Record<PostStatus, string> = {
  draft: 'is a draft',
  scheduled: 'is scheduled',
  pending: 'is being published',
  published: 'is published',
  partial: 'is published in part',
  failed: 'has failed',
  canceled: 'is canceled',
};

/** Whether the post can still be changed, because none of its targets has started. */
export function isWaiting({ status }: PostRow): boolean {
  return status === 'draft' || status === 'scheduled';
}

/** A `reason` is, for example, `only a draft can be changed`. */
export function wrongState({ status }: PostRow, reason: string): AppError {
  return new AppError('conflict', `The post ${stateWords[status]}: ${reason}.`, {
    details: { post_status: status },
  });
}
