// The only way a post leaves the server.
import type { PostResultRow, PostRow } from '../../schema/database/database.ts';
import { toPostEventResult } from '../../schema/database/post-event.ts';
import { findPostingError, postingErrorAnchor } from '../../schema/posting-errors.ts';
import type { FirstComment, Post, PostResult } from '../../schema/posts.ts';
import { toTimestamp } from '../../schema/timestamp.ts';
import type { Context } from '../context.ts';
import { findFirstComment } from './stored-post.ts';

type PresentSettings = Pick<Context, 'publicUrl'>;

export function presentPost(
  settings: PresentSettings,
  post: PostRow,
  results: PostResultRow[],
): Post {
  return {
    id: post.id,
    caption: post.caption,
    status: post.status,
    created_at: toTimestamp(post.created_at),
    scheduled_at: toTimestamp(post.scheduled_at),
    published_at: toTimestamp(post.published_at),
    media_urls: post.media_urls,
    metadata: post.metadata,
    results: results
      .filter(({ kind }) => kind === 'post')
      .map((result) => {
        const comment = findFirstComment(results, result.id);
        return presentResult(settings, post, result, comment);
      }),
  };
}

function presentResult(
  { publicUrl }: PresentSettings,
  post: PostRow,
  result: PostResultRow,
  comment: PostResultRow | undefined,
): PostResult {
  const known = findPostingError(result.error_code);
  return {
    ...toPostEventResult(result),
    caption: result.caption ?? post.caption,
    media_urls: result.media_urls ?? post.media_urls,
    thread_position: result.thread_position,
    in_reply_to: result.in_reply_to,
    first_comment: comment ? presentComment(comment) : null,
    platform_options: result.platform_options,
    error_hint: known?.hint ?? null,
    error_docs_url: known ? `${publicUrl}/docs#${postingErrorAnchor(known.code)}` : null,
    failure_stage: result.failure_stage,
    platform_error_code: result.platform_error_code,
    provider_error: result.provider_error,
    is_retriable: result.is_retriable,
    next_action: result.next_action,
    attempts: result.attempts,
    next_attempt_at: toTimestamp(result.next_attempt_at),
  };
}

function presentComment(comment: PostResultRow): FirstComment {
  return {
    text: comment.caption ?? '',
    status: comment.status,
    external_id: comment.external_id,
    url: comment.url,
    error_code: comment.error_code,
    error_message: comment.error_message,
  };
}
