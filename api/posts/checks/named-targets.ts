// The targets as a request names them, in either of its two forms.
import { countOf } from '../../../schema/wire/count-of.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import type { CreatePost, PlatformPost } from '../../../schema/posts/posts.ts';

/** What of a post decides where it goes, and as what. */
export type TargetInput = Pick<
  CreatePost,
  'caption' | 'account_ids' | 'platform_posts' | 'media_urls'
>;

export interface NamedTarget {
  /** Its place in the request's list. */
  index: number;
  accountId: string;
  /** Where the request names the account. */
  path: string;
  /** Where the request has the target's own fields. */
  at: string;
  own: Omit<PlatformPost, 'account_id'>;
}

export interface NamedTargets {
  named: NamedTarget[];
  issues: Issue[];
}

export function nameTargets(
  { account_ids, platform_posts }: TargetInput,
  maxTargets: number,
): NamedTargets {
  if (account_ids && platform_posts) {
    const message = 'Give `account_ids` or `platform_posts`, not both.';
    return refuse({ path: 'platform_posts', code: 'both_target_forms', message });
  }
  const path = platform_posts ? 'platform_posts' : 'account_ids';
  const named = platform_posts
    ? platform_posts.map(nameTarget)
    : (account_ids ?? []).map((accountId, index) => nameAccount(accountId, index));
  if (named.length === 0) {
    return refuse({ path, code: 'no_targets', message: 'Name at least one account.' });
  }
  if (named.length > maxTargets) {
    const message = `A post has at most ${countOf(maxTargets, 'target')}.`;
    const [actual, limit] = [named.length, maxTargets];
    return refuse({ path, code: 'too_many_targets', message, actual, limit });
  }
  return { named, issues: [] };
}

function nameTarget({ account_id, ...own }: PlatformPost, index: number): NamedTarget {
  const at = `platform_posts[${index}].`;
  return { index, accountId: account_id, path: `${at}account_id`, at, own };
}

function nameAccount(accountId: string, index: number): NamedTarget {
  return { index, accountId, path: `account_ids[${index}]`, at: '', own: {} };
}

function refuse(issue: Issue): NamedTargets {
  return { named: [], issues: [issue] };
}
