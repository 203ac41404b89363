// Turns the rows of a post into its wire type.
import { system } from '../../schema/wire/actors.ts';
import type { MediaItem, PostRow } from '../../schema/database/tables.ts';
import { findLinkThumb } from '../../schema/platforms/options/link-thumb.ts';
import { findPostingError, postingErrorAnchor } from '../../schema/posts/errors.ts';
import type { Outcome, Post, PostResult } from '../../schema/posts/posts.ts';
import type { NextAction } from '../../schema/posts/next-action.ts';
import type { ShownChange } from '../../schema/database/posts/after-publishing/result-changes.ts';
import type { ResultRow } from '../../schema/database/posts/posts.ts';
import type { ResultChange } from '../../schema/posts/result-changes.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Context } from '../http/context.ts';
import { presentRevision, toEventOutcome } from '../../schema/database/posts/outcome-event.ts';
import { findFirstComment, findSteps } from '../../schema/database/posts/targets.ts';
import { findWaitReason } from '../../schema/database/posts/wait-reason.ts';

type PresentSettings = Pick<Context, 'publicUrl'>;

export function presentPost(settings: PresentSettings, post: PostRow, results: ResultRow[]): Post {
  return {
    id: post.id,
    caption: post.caption,
    status: post.status,
    created_at: toTimestamp(post.created_at),
    ...presentRevision(post, results),
    scheduled_at: toTimestamp(post.scheduled_at),
    schedule: post.schedule,
    publish_by: toTimestamp(post.publish_by),
    queue_id: post.queue_id,
    published_at: toTimestamp(post.published_at),
    ...presentMedia(post.media),
    auto_fit: post.auto_fit,
    metadata: post.metadata,
    labels: post.labels,
    created_by: post.created_by ?? system,
    results: results
      .filter(({ kind }) => kind === 'post')
      .map((result) => presentResult(settings, post, result, results)),
  };
}

function presentMedia(media: MediaItem[]): Pick<Post, 'media' | 'media_urls'> {
  return { media, media_urls: media.flatMap(({ url }) => url ?? []) };
}

function presentResult(
  settings: PresentSettings,
  post: PostRow,
  result: ResultRow,
  results: ResultRow[],
): PostResult {
  const comment = findFirstComment(results, result.id);
  // A link thumb is shown with the options, not as media.
  const hasLinkThumb = findLinkThumb(result.platform_options) !== undefined;
  const present = (row: ResultRow) => presentOutcome(settings, post, row, results);
  return {
    id: result.id,
    social_account_id: result.social_account_id,
    platform: result.platform,
    account_name: result.account_name,
    caption: result.caption ?? post.caption,
    ...presentMedia(hasLinkThumb ? [] : (result.media ?? post.media)),
    thread_position: result.thread_position,
    in_reply_to: result.in_reply_to,
    platform_options: { ...result.default_options, ...result.platform_options },
    defaulted: Object.keys(result.default_options ?? {})
      .filter((name) => !Object.hasOwn(result.platform_options, name))
      .toSorted(),
    ...present(result),
    first_comment: comment
      ? { id: comment.id, text: comment.caption ?? '', ...present(comment) }
      : null,
    steps: findSteps(results, result.id).map((row) => {
      return { id: row.id, name: row.step!, ...present(row) };
    }),
  };
}

function presentOutcome(
  { publicUrl }: PresentSettings,
  post: PostRow,
  row: ResultRow,
  results: ResultRow[],
): Outcome {
  const known = findPostingError(row.error_code);
  return {
    ...toEventOutcome(row),
    error_docs_url: known ? `${publicUrl}/docs#${postingErrorAnchor(known.code)}` : null,
    platform_error_code: row.platform_error_code,
    provider_error: row.provider_error,
    attempts: row.attempts,
    waiting_for: post.status === 'pending' ? findWaitReason(row, results) : null,
    next_attempt_at: toTimestamp(row.next_attempt_at),
    changes: row.changes.map(presentChange),
  };
}

/** A refused removal leaves the post public, and a changed content doesn't help. */
function nextActionOf({ type, error_code }: Pick<ShownChange, 'type' | 'error_code'>): NextAction {
  const action = findPostingError(error_code)?.nextAction ?? 'none';
  return type === 'unpublish' && action === 'edit_content' ? 'check_network' : action;
}

function presentChange({ requested_at, ended_at, actor, ...change }: ShownChange): ResultChange {
  return {
    ...change,
    actor: actor ?? system,
    next_action: nextActionOf(change),
    requested_at: toTimestamp(new Date(requested_at)),
    ended_at: ended_at === null ? null : toTimestamp(new Date(ended_at)),
  };
}
