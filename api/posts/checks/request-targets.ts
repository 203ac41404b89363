// The targets of a request, in either of its two forms.
import type { QueueRow } from '../../../schema/database/tables.ts';
import { countOf } from '../../../schema/wire/count-of.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Path, Text } from '../../../schema/wire/names.ts';
import type { CreatePost, PlatformPost } from '../../../schema/posts/posts.ts';

/** The fields of a post that its targets depend on. */
export type TargetInput = Pick<
  CreatePost,
  'caption' | 'account_ids' | 'platform_posts' | 'media' | 'media_ids' | 'media_urls' | 'auto_fit'
>;

export interface RequestTarget {
  /** The position in the request's list. */
  index: number;
  accountId: string;
  /** The path of the account in the request. */
  path: Path;
  /** The path of the target's own fields in the request. */
  at: Path;
  own: Omit<PlatformPost, 'account_id'>;
}

export interface RequestTargets {
  named: RequestTarget[];
  issue?: Issue;
}

/**
 * If both lists are given, an empty one counts as left out. If neither is given, the accounts of the queue are the
 * targets.
 */
export function readTargets(
  { account_ids: givenIds, platform_posts: given }: TargetInput,
  maxTargets: number,
  queue?: Pick<QueueRow, 'account_ids'>,
): RequestTargets {
  const platform_posts = givenIds && given?.length === 0 ? undefined : given;
  const account_ids = platform_posts && givenIds?.length === 0 ? undefined : givenIds;
  if (account_ids && platform_posts) {
    const message: Text = ({ field }) =>
      `Give ${field('account_ids')} or ${field('platform_posts')}, not both.`;
    return refuse({ path: ['platform_posts'], code: 'both_target_forms', message });
  }
  if (queue && !account_ids && !platform_posts)
    return { named: queue.account_ids.map(readOfQueue) };
  const path = [platform_posts ? 'platform_posts' : 'account_ids'];
  const named = platform_posts
    ? platform_posts.map(readTarget)
    : (account_ids ?? []).map(readAccount);
  if (named.length === 0) {
    return refuse({ path, code: 'no_targets', message: 'A post must name at least one account.' });
  }
  if (named.length > maxTargets) {
    const message = `A post must have at most ${countOf(maxTargets, 'target')}.`;
    const [actual, limit] = [named.length, maxTargets];
    return refuse({ path, code: 'too_many_targets', message, actual, limit });
  }
  return { named };
}

function readTarget({ account_id, ...own }: PlatformPost, index: number): RequestTarget {
  const at = ['platform_posts', index];
  return { index, accountId: account_id, path: [...at, 'account_id'], at, own };
}

function readAccount(accountId: string, index: number): RequestTarget {
  return { index, accountId, path: ['account_ids', index], at: [], own: {} };
}

function readOfQueue(accountId: string, index: number): RequestTarget {
  return { index, accountId, path: ['queue_id'], at: [], own: {} };
}

function refuse(issue: Issue): RequestTargets {
  return { named: [], issue };
}
