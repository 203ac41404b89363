// The data of a post's events. Every field is present, null if it has no value.
import type { PostResultRow, PostRow } from '../tables.ts';
import { findPostingError } from '../../posts/errors.ts';
import type { EventOutcome, Post, PostEventData, PostEventResult } from '../../posts/posts.ts';
import { render } from '../../wire/names.ts';
import { toTimestamp } from '../../wire/timestamp.ts';
import { findFirstComment, findSteps } from './targets.ts';

export function toPostEventData(post: PostRow, results: PostResultRow[]): PostEventData {
  return {
    id: post.id,
    caption: post.caption,
    status: post.status,
    created_at: toTimestamp(post.created_at),
    ...presentRevision(post, results),
    scheduled_at: toTimestamp(post.scheduled_at),
    published_at: toTimestamp(post.published_at),
    metadata: post.metadata,
    labels: post.labels,
    results: results
      .filter(({ kind }) => kind === 'post')
      .map((result) => toPostEventResult(result, results)),
  };
}

/** The event of a post that is scheduled, or has another time. */
export function toScheduledEvent({ post, results }: { post: PostRow; results: PostResultRow[] }) {
  return {
    projectId: post.project_id,
    environment: post.environment,
    type: 'post.scheduled',
    data: toPostEventData(post, results),
    postId: post.id,
  } as const;
}

/** `results`: all results of the post, with the comments. */
export function presentRevision(
  post: PostRow,
  results: PostResultRow[],
): Pick<Post, 'updated_at' | 'revision'> {
  const times = results.map(({ updated_at }) => updated_at.getTime());
  return {
    updated_at: toTimestamp(new Date(Math.max(post.updated_at.getTime(), ...times))),
    revision: results.reduce((sum, { revision }) => sum + revision, post.revision),
  };
}

function toPostEventResult(result: PostResultRow, results: PostResultRow[]): PostEventResult {
  const comment = findFirstComment(results, result.id);
  return {
    id: result.id,
    social_account_id: result.social_account_id,
    platform: result.platform,
    account_name: result.account_name,
    thread_position: result.thread_position,
    ...toEventOutcome(result),
    first_comment: comment
      ? { id: comment.id, text: comment.caption ?? '', ...toEventOutcome(comment) }
      : null,
    steps: findSteps(results, result.id).map((row) => {
      return { id: row.id, name: row.step!, ...toEventOutcome(row) };
    }),
  };
}

export function toEventOutcome(row: PostResultRow): EventOutcome {
  const known = findPostingError(row.error_code);
  return {
    status: row.status,
    external_id: row.external_id,
    url: row.url,
    visibility: row.visibility,
    published_at: toTimestamp(row.published_at),
    edited_at: toTimestamp(row.edited_at),
    unpublished_at: toTimestamp(row.unpublished_at),
    error_code: row.error_code,
    error_message: row.error_message,
    error_hint: known ? render(known.hint) : null,
    failure_stage: row.failure_stage,
    is_retriable: row.is_retriable,
    next_action: row.next_action,
  };
}
