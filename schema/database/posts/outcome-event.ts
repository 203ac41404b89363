// The data of a post's events. Every field is present, null if it has no value. Comments are left out.
import type { PostResultRow, PostRow } from '../tables.ts';
import type { PostEventData, PostEventResult } from '../../posts/posts.ts';
import { toTimestamp } from '../../wire/timestamp.ts';

export function toPostEventData(post: PostRow, results: PostResultRow[]): PostEventData {
  return {
    id: post.id,
    caption: post.caption,
    status: post.status,
    created_at: toTimestamp(post.created_at),
    scheduled_at: toTimestamp(post.scheduled_at),
    published_at: toTimestamp(post.published_at),
    metadata: post.metadata,
    results: results.filter(({ kind }) => kind === 'post').map(toPostEventResult),
  };
}

function toPostEventResult(result: PostResultRow): PostEventResult {
  return {
    id: result.id,
    social_account_id: result.social_account_id,
    platform: result.platform,
    account_name: result.account_name,
    status: result.status,
    external_id: result.external_id,
    url: result.url,
    visibility: result.visibility,
    published_at: toTimestamp(result.published_at),
    error_code: result.error_code,
    error_message: result.error_message,
  };
}
