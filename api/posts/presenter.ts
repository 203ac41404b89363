// The only way a post leaves the server.
import type { PostResultRow, PostRow } from '../../schema/database/database.ts';
import { toPostEventResult } from '../../schema/database/post-event.ts';
import { findPostingError, postingErrorAnchor } from '../../schema/posting-errors.ts';
import type { Post, PostResult } from '../../schema/posts.ts';
import { toTimestamp } from '../../schema/timestamp.ts';
import type { Context } from '../context.ts';

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
    results: results.map((result) => presentResult(settings, post, result)),
  };
}

function presentResult(
  { publicUrl }: PresentSettings,
  post: PostRow,
  result: PostResultRow,
): PostResult {
  const known = findPostingError(result.error_code);
  return {
    ...toPostEventResult(result),
    caption: result.caption ?? post.caption,
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
