// Creates a link to the page on which the creator at TikTok reviews a post and publishes it.
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import { getPostRow, type PostWithResults } from '../../schema/database/posts/posts.ts';
import { insertReviewLink } from '../../schema/database/posts/review-links.ts';
import type { MediaItem } from '../../schema/database/tables.ts';
import {
  reviewLinkMs,
  type CreateReviewLink,
  type ReviewLink,
} from '../../schema/posts/review-links.ts';
import { validationError, type Issue } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Path } from '../../schema/wire/names.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import { lostAccount } from '../accounts/lost-account.ts';
import { newLinkToken } from '../http/auth/api-keys.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { requirePlatform } from '../platforms/absence.ts';
import { isWaiting, wrongState } from '../posts/stored-post.ts';
import { findTargets, reviewed } from './target.ts';

export async function createReviewLink(
  context: Context,
  caller: Caller,
  postId: string,
  { can }: CreateReviewLink,
): Promise<Answer<ReviewLink>> {
  const { projectId } = caller;
  return transact(context, caller, async ({ trx, audit }) => {
    const stored = await getPostRow(trx, caller, postId);
    if (!isWaiting(stored.post)) {
      throw wrongState(stored.post, 'only a draft or a scheduled post can be reviewed');
    }
    const accountId = requireTarget(stored);
    requirePlatform(context.platforms, reviewed.name);
    const { status } = await getAccountRow(trx, caller, accountId);
    if (status !== 'active') throw lostAccount(status);
    const id = newId('reviewLink');
    const { token, hash } = newLinkToken();
    const link = await insertReviewLink(trx, {
      id,
      project_id: projectId,
      post_id: postId,
      social_account_id: accountId,
      token_hash: hash,
      forMs: reviewLinkMs,
    });
    audit({ subject: 'review_link', subject_id: id, kind: 'created' });
    const data = {
      url: `${context.publicUrl}/share/${id}?token=${token}`,
      post_id: postId,
      social_account_id: accountId,
      can,
      expires_at: toTimestamp(link.expires_at),
    };
    return { status: 201, data, isSecret: true };
  });
}

/** Returns the ID of the account of the only target that the page can show. Throws if there is no such target. */
function requireTarget(stored: PostWithResults): string {
  const [found, ...others] = findTargets(stored);
  const refuse = (issue: Issue) => validationError([issue]);
  if (!found) {
    const message = `has no target at ${reviewed.title}, where a creator reviews posts`;
    throw refuse({ path: ['platform_posts'], code: 'no_target_to_review', message });
  }
  if (others[0]) {
    const message = `The post has several targets at ${reviewed.title}. Create a post for each creator.`;
    const path = ['platform_posts', others[0].index, 'account_id'];
    throw refuse({ path, code: 'several_targets_to_review', message });
  }
  const { index, result } = found;
  if (result.platform_options['mode'] === 'inbox') {
    const message = 'must not be `inbox`, since the creator reviews such a post in the app';
    const path = ['platform_posts', index, 'platform_options', 'mode'];
    throw refuse({ path, code: 'reviewed_in_app', message });
  }
  const own = result.media;
  const at = own ? ['platform_posts', index, 'media'] : ['media'];
  const issues = findUnfetched(own ?? stored.post.media, at);
  if (issues.length > 0) throw validationError(issues);
  return result.social_account_id;
}

/** The URLs of a draft are fetched only once it is published, which is too late for a preview. */
function findUnfetched(media: readonly MediaItem[], at: Path): Issue[] {
  const message = 'must be uploaded first, since the page shows the media of the draft';
  return media.flatMap(({ id }, i) =>
    id === null ? [{ path: [...at, i, 'url'], code: 'media_not_uploaded', message }] : [],
  );
}
