// A stored post in the form in which it was asked for, so that it can be checked like a new one.
import type { PostResultRow } from '../../schema/database/tables.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { PlatformPost } from '../../schema/posts/posts.ts';
import type { TargetInput } from './checks/named-targets.ts';

type StoredContent = Omit<TargetInput, 'account_ids'>;

/** Its targets are `platform_posts`, whichever form named them. */
export function toTargetInput({ post, results }: PostWithResults): StoredContent {
  return {
    caption: post.caption,
    media_urls: post.media_urls,
    platform_posts: results
      .filter(({ kind }) => kind === 'post')
      .map((result) => toPlatformPost(result, findFirstComment(results, result.id))),
  };
}

export function findFirstComment(
  results: PostResultRow[],
  resultId: string,
): PostResultRow | undefined {
  return results.find((row) => row.kind === 'comment' && row.answers_result_id === resultId);
}

function toPlatformPost(result: PostResultRow, comment: PostResultRow | undefined): PlatformPost {
  return {
    account_id: result.social_account_id,
    caption: result.caption ?? undefined,
    media_urls: result.media_urls ?? undefined,
    thread_position: result.thread_position ?? undefined,
    in_reply_to: result.in_reply_to ?? undefined,
    first_comment: comment?.caption ?? undefined,
    platform_options: result.platform_options,
  };
}
