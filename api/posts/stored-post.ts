// Reads from a stored post: its state, its first comments, and its content as a request.
import { findFirstComment } from '../../schema/database/posts/targets.ts';
import type { MediaItem, PostResultRow, PostRow } from '../../schema/database/tables.ts';
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
    platform_posts: results
      .filter(({ kind }) => kind === 'post')
      .map((result) => toPlatformPost(result, findFirstComment(results, result.id))),
  };
}

function toPlatformPost(result: PostResultRow, comment: PostResultRow | undefined): PlatformPost {
  return {
    account_id: result.social_account_id,
    caption: result.caption ?? undefined,
    media: result.media ? toMediaInputs(result.media) : undefined,
    thread_position: result.thread_position ?? undefined,
    in_reply_to: result.in_reply_to ?? undefined,
    first_comment: comment?.caption ?? undefined,
    platform_options: result.platform_options,
  };
}

/** Fetched media are named by their ID. */
function toMediaInputs(items: readonly MediaItem[]): PostMediaInput[] {
  return items.map(({ id, url, alt_text, thumbnail_id }) => ({
    ...(id === null ? { url: url! } : { id }),
    ...(alt_text !== null && { alt_text }),
    ...(thumbnail_id !== null && { thumbnail_id }),
  }));
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

/** Whether the post can still be changed. None of its targets has started. */
export function isWaiting({ status }: PostRow): boolean {
  return status === 'draft' || status === 'scheduled';
}

/** A `reason` is, for example, `only a draft can be changed`. */
export function wrongState({ status }: PostRow, reason: string): AppError {
  return new AppError('conflict', `The post ${stateWords[status]}: ${reason}.`, {
    details: { post_status: status },
  });
}
